import type { Command } from 'commander';
import { answered } from '../answered.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { addressOf, adminClient, checkedToken } from '../connection.ts';
import { CliError, exitCodes } from '../exit.ts';
import { defaultProfile, removeProfile, saveProfile } from '../profiles.ts';
import { readSecret } from '../read-input.ts';

/** Of the environment, without a terminal that could confirm it. */
async function addressAsked({ env, prompts }: Cli): Promise<string> {
  const known = env.GATEWAY_URL;
  if (known && !prompts.possible) return known;
  return prompts.text('Address of the gateway:', 'Add --url, or set GATEWAY_URL.', known || 'http://127.0.0.1:8080');
}

/** `login` and `logout`: profiles. */
export function addLoginCommands(program: Command, cli: Cli): void {
  program
    .command('login')
    .description('Check address and token, and save them as a profile')
    .option('--token-file <path>', 'file with the token; - is standard input')
    .addHelpText('after', '\nThe profile is `default`, or that of --profile. Only you can read its file (mode 0600).')
    .action(async ({ tokenFile }: { tokenFile?: string }) => {
      const { url, token: given, profile = defaultProfile } = program.opts<GlobalOptions>();
      const baseUrl = addressOf(url ?? (await addressAsked(cli)));
      const token = checkedToken(given ?? (await tokenOf(tokenFile)));
      const me = answered(await adminClient({ baseUrl, token }, cli.signal).me.get());
      const file = saveProfile(cli.env, profile, { url: baseUrl, token });
      cli.out.note(`Logged in at ${baseUrl} as ${me.name} (${me.role}). The profile ${profile} is in ${file}.`);
    });
  const tokenOf = (file: string | undefined) =>
    file === undefined
      ? cli.prompts.secret('Token:', 'Add --token-file, with - for standard input.')
      : readSecret(cli, file, 'Token');
  program
    .command('logout')
    .description('Remove a profile')
    .action(() => {
      const { profile = defaultProfile } = program.opts<GlobalOptions>();
      if (!removeProfile(cli.env, profile))
        throw new CliError(exitCodes.notFound, `there is no profile ${profile}`, 'Name another one with --profile.');
      cli.out.note(`The profile ${profile} is removed. Its token is still valid.`);
    });
}
