import { existsSync } from 'node:fs';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { writeNewFile } from '../new-file.ts';
import { readSecret } from '../read-input.ts';
import { resolveAccount } from '../resolve-account.ts';
import { samples } from './samples/samples.ts';
import { accountSecretOf, newSigningSecret, signsWithKeyPair } from './signing/keys.ts';
import type { SigningKey } from './signing/message.ts';

/** The account that webhooks are sent to, and what they are signed with. */
export interface SendingAccount {
  provider: string;
  slug: string;
  key: SigningKey;
}

export interface AccountOptions {
  account?: string;
  testAccount?: boolean;
  secretFile?: string;
}

const testSlug = 'cli-test';

/**
 * The account of `--account` with the secret of a file or a question, or the test account, which gets a new secret.
 *
 * @param provider of the sample; null: that of the account
 * @throws CliError if there is no account or secret, and if the provider differs
 */
export async function sendingAccount(
  cli: Cli,
  provider: string | null,
  { account: named, testAccount, secretFile }: AccountOptions,
): Promise<SendingAccount> {
  if ((named === undefined) === (testAccount !== true))
    throw usageError(
      'exactly one of --account and --test-account is needed',
      '`webhook-gateway accounts list` shows accounts.',
    );
  if (named === undefined) {
    if (provider === null)
      throw usageError('--test-account needs the provider', 'Write it before --file: send stripe --file …');
    if (secretFile !== undefined) throw usageError('--test-account gets a new secret', 'Leave --secret-file out.');
    return testAccountOf(cli, provider);
  }
  const account = await resolveAccount(cli, named);
  if (provider !== null && account.provider !== provider)
    throw usageError(
      `${named} is an account of ${account.provider}, and the webhook one of ${provider}`,
      `Use an account of ${provider}, or --test-account.`,
    );
  const secret = await signingSecret(cli, account.provider, secretFile);
  return {
    provider: account.provider,
    slug: account.account_slug,
    key: { secret, config: account.provider_config ?? {} },
  };
}

async function signingSecret(cli: Cli, provider: string, file: string | undefined): Promise<string> {
  if (file === undefined) {
    const instead = 'Give it with --secret-file <path>, or - for standard input, or use --test-account.';
    if (signsWithKeyPair(provider))
      throw usageError(
        `webhooks of ${provider} are signed with a private key, which only ${provider} has`,
        keyFileHint(provider),
      );
    return cli.prompts.secret(`Signing secret of the ${provider} account`, instead);
  }
  if (signsWithKeyPair(provider) && file !== '-' && !existsSync(file)) {
    const secret = newSigningSecret(provider);
    writeNewFile(file, secret, 0o600);
    throw new CliError(
      exitCodes.refused,
      `nothing was sent yet: a new private key is in ${file}. Its public key: ${accountSecretOf(provider, secret)}`,
      'Set the public key as signing secret of the account, then run this command again.',
    );
  }
  const secret = await readSecret(cli, file, `Signing secret of the ${provider} account`);
  // Checks the form of a private key.
  accountSecretOf(provider, secret);
  return secret;
}

const keyFileHint = (provider: string) =>
  `--secret-file <path> makes a key pair there, whose public key the account gets; --test-account does both for an account ${provider}/${testSlug}.`;

/** Makes the test account, or gives it a new secret: the old one cannot be read. */
async function testAccountOf(cli: Cli, provider: string): Promise<SendingAccount> {
  const config = samples.get(provider)?.config ?? {};
  const secret = newSigningSecret(provider);
  const settings = { signing_secret_current: accountSecretOf(provider, secret), provider_config: config };
  const accounts = answered(await cli.admin().accounts.get({ query: { provider } }));
  const existing = accounts.find(({ account_slug }) => account_slug === testSlug);
  if (existing) answered(await cli.admin().accounts({ account_id: existing.id }).patch(settings));
  else answered(await cli.admin().accounts.post({ provider, account_slug: testSlug, app_key: testSlug, ...settings }));
  cli.out.note(
    existing
      ? `The test account ${provider}/${testSlug} got a new signing secret.`
      : `The test account ${provider}/${testSlug} was made. It has no delivery URL; remove it with: webhook-gateway accounts delete ${provider}/${testSlug}`,
  );
  if (signsWithKeyPair(provider))
    cli.out.note(`Signed with a new key pair; public key: ${settings.signing_secret_current}`);
  return { provider, slug: testSlug, key: { secret, config } };
}
