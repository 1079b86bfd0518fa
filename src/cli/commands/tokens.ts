import type { Command } from 'commander';
import { type TokenRole, tokenRoles } from '../../http/admin/roles.ts';
import { isId } from '../../shared/is-id.ts';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { timeAhead } from '../options.ts';
import { age } from '../output/ages.ts';
import { resolveAccount } from '../resolve-account.ts';

interface CreateOptions {
  role: TokenRole;
  account?: string;
  appKey?: string;
  expires?: Date;
}

/** `tokens`: list, create, revoke. */
export function addTokensCommands(program: Command, cli: Cli): void {
  const tokens = program.command('tokens').description('Admin tokens, of all accounts or with a scope');
  const all = async () => answered(await cli.admin().tokens.get());
  tokens
    .command('list')
    .description('List tokens; those of ADMIN_TOKENS are not among them')
    .action(async () =>
      cli.out.table(
        [
          { title: 'NAME', value: (row) => row.name },
          { title: 'ROLE', value: (row) => row.role },
          { title: 'EXPIRES', value: (row) => row.expires_at },
          { title: 'USED', value: (row) => age(row.last_used_at), right: true, optional: true },
          { title: 'SCOPE', value: (row) => row.scope && Object.values(row.scope).join(), optional: true },
          { title: 'ID', value: (row) => row.id, optional: true },
        ],
        await all(),
      ),
    );
  tokens
    .command('create')
    .description('Create a token, which is shown this once')
    .argument('<name>', 'name of the token, as the audit log shows it')
    .addOption(program.createOption('--role <role>', 'what it may do').choices(tokenRoles).makeOptionMandatory())
    .option('--account <account>', 'only for this account: provider/slug, or its id')
    .option('--app-key <key>', 'only for the accounts of this application')
    .option('--expires <time>', 'when it ends: ISO 8601, or in how long, such as 30d', timeAhead)
    .action(async (name: string, { role, account, appKey, expires }: CreateOptions) => {
      const account_id = account === undefined ? undefined : (await resolveAccount(cli, account)).id;
      const body = { name, role, app_key: appKey, account_id, expires_at: expires };
      const created = answered(await cli.admin().tokens.post(body));
      cli.out.record(
        [
          ['name', created.name],
          ['role', created.role],
          ['expires', created.expires_at],
          ['id', created.id],
          ['token', created.token],
        ],
        created,
      );
    });
  tokens
    .command('revoke')
    .description('Revoke a token; it is refused within a second')
    .argument('<token>', 'its id, or its name if no other has it')
    .action(async (given: string) => {
      const found = (await all()).filter(({ id, name }) => (isId(given) ? id === given.toLowerCase() : name === given));
      const [token, second] = found;
      if (second)
        throw usageError(`several tokens have the name ${given}`, `Use an id: ${found.map(({ id }) => id).join(', ')}`);
      if (!token)
        throw new CliError(exitCodes.notFound, `there is no token ${given}`, 'See `webhook-gateway tokens list`.');
      await cli.prompts.confirm(`Revoke the token ${token.name}?`);
      answered(await cli.admin().tokens({ token_id: token.id }).delete());
      cli.out.note(`The token ${token.name} is revoked.`);
    });
}
