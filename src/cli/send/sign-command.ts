import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { usageError } from '../exit.ts';
import { parseHeader, parsePair, readBytes } from '../inputs.ts';
import { repeated } from '../options.ts';
import { readSecret } from '../read-input.ts';
import { contentOfFile, newMessage } from './make-message.ts';
import { accountSecretOf } from './signing/keys.ts';
import { signMessage } from './signing/signers.ts';

/** What `sign` and `verify` have in common. */
export interface SchemeOptions {
  secretFile?: string;
  bodyFile: string;
  contentType: string;
  header?: string[];
  config?: string[];
  address: string;
}

/** Begins the line in which `sign` prints what belongs to the address, after the headers and an empty line. */
export const queryLabel = 'query of the address: ';

const addressHint = 'complete address that the provider posts to, for schemes that sign it';

/** Adds the options of {@link SchemeOptions}. */
export function withSchemeOptions(command: Command): Command {
  return command
    .option('--secret-file <path>', 'file with the signing secret; asked for without it')
    .option('--body-file <path>', 'file with the body; - for standard input', '-')
    .option('--content-type <type>', 'content type of the body', 'application/json')
    .option("--header <'name: value'>", 'header of the webhook (repeatable)', repeated)
    .option(
      '--config <name=value>',
      'a field of provider_config, such as header=X-Signature for hmac (repeatable)',
      repeated,
    )
    .option('--address <url>', addressHint, 'https://gateway.example');
}

/** `sign`: prints the headers with which a provider would send a body. */
export function addSignCommand(program: Command, cli: Cli): void {
  withSchemeOptions(program.command('sign <provider>'))
    .description('Sign a body as a provider would, and print the headers; nothing is sent')
    .action(async (provider: string, options: SchemeOptions) => {
      const { body, secret } = await inputsOf(cli, provider, options);
      const { base, path } = splitAddress(options.address);
      const make = contentOfFile(body, { contentType: options.contentType, settings: [] });
      const message = newMessage(make, { base, path, headers: (options.header ?? []).map(parseHeader) });
      const signed = signMessage(provider, message, { secret, config: configOf(options.config) });
      const changed = signed.body !== message.body;
      if (cli.out.json) {
        const encoded = changed ? Buffer.from(signed.body).toString('base64') : null;
        cli.out.document({ headers: signed.headers, query: signed.query, body: encoded });
        return;
      }
      for (const header of signed.headers) cli.out.line(null, header.join(': '));
      if (signed.query !== '') cli.out.line(null, `\n${queryLabel}${signed.query}`);
      // The signature is in the body.
      if (changed) {
        cli.out.line(null, '');
        await cli.out.bytes(signed.body);
      }
    });
}

/**
 * Reads body and secret.
 *
 * @throws CliError if both are to be read from standard input
 */
export async function inputsOf(
  cli: Cli,
  provider: string,
  { bodyFile, secretFile }: SchemeOptions,
): Promise<{ body: Buffer; secret: string }> {
  if (bodyFile === '-' && secretFile === '-')
    throw usageError('standard input cannot be both the body and the secret', 'Put one of them into a file.');
  const secret =
    secretFile === undefined
      ? await cli.prompts.secret(`Signing secret of ${provider}`, 'Give it with --secret-file <path>.')
      : await readSecret(cli, secretFile, `Signing secret of ${provider}`);
  return { body: await readBytes(cli, bodyFile), secret };
}

/** Base and path of the address that a webhook is sent to, as they are written; the path has its query. */
export function splitAddress(address: string): { base: string; path: string } {
  const [, scheme, host, path] = /^(https?:\/\/)(?:[^/?#]*@)?([^/?#]+)([^#]*)/i.exec(address) ?? [];
  if (!URL.canParse(address) || scheme === undefined || host === undefined)
    throw usageError(`'${address}' is not an address`, 'Write it as https://gateway.example/stripe/shop.');
  return { base: scheme + host, path: path || '/' };
}

/** Only these fields of a `provider_config` are numbers. */
const secondsField = /_seconds$/;
const number = /^-?\d+$/;

/** A `provider_config` of `--config name=value`. */
export function configOf(settings: readonly string[] = []): Record<string, string | number> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [name, value] = parsePair(setting, '--config');
      return [name, secondsField.test(name) && number.test(value) ? Number(value) : value];
    }),
  );
}

/** The secret with which the account verifies, of the one that the user gave: also a private key can be given. */
export const verifyingSecret = (provider: string, secret: string): string =>
  secret.startsWith('-----BEGIN PRIVATE') ? accountSecretOf(provider, secret) : secret;
