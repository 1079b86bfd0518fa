import type { Command } from 'commander';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { usageError } from '../exit.ts';
import { type FieldOptions, givenFields, withFields } from '../given-fields.ts';
import { showAnswer } from '../output/fields.ts';
import { requestJson } from '../request.ts';
import { resolveAccount } from '../resolve-account.ts';

/** Fields of an account that can be given. */
export const accountFields = [
  ...['app_key', 'delivery_url', 'delivery_secret', 'enabled', 'org_id', 'project_delivery_secret'],
  ...['project_delivery_url', 'project_id', 'provider_config', 'signing_secret_current', 'signing_secret_previous'],
  'skip_signature_verification',
];
const changeOnly = [
  ...['provider', 'account_slug', 'rotate', 'replace_previous', 'signing_secret_previous_expires_at'],
  ...['delivery_secret_previous_expires_at', 'project_delivery_secret_previous_expires_at'],
  'if_updated_at',
];

/** The argument that names an account. */
export const accountArgument = ['<account>', 'provider/slug, such as generic/shop, or its id'] as const;

/** `accounts`: list, show, create, update, delete. */
export function addAccountsCommands(program: Command, cli: Cli): void {
  const accounts = program.command('accounts').description('Accounts: where webhooks arrive, and where they go');
  accounts
    .command('list')
    .description('List accounts')
    .option('--app-key <key>', 'only those of this application')
    .option('--provider <name>', 'only those of this provider')
    .action(async ({ appKey, provider }: { appKey?: string; provider?: string }) => {
      cli.out.table(
        [
          { title: 'ACCOUNT', value: (row) => `${row.provider}/${row.account_slug}` },
          { title: 'APP KEY', value: (row) => row.app_key },
          { title: 'ENABLED', value: (row) => row.enabled },
          { title: 'DELIVERY URL', value: (row) => row.delivery_url, optional: true },
          { title: 'ID', value: (row) => row.id, optional: true },
        ],
        answered(await cli.admin().accounts.get({ query: { app_key: appKey, provider } })),
      );
    });
  accounts
    .command('show')
    .description('Show all fields of an account; secrets are never shown')
    .argument(...accountArgument)
    .action(async (account: string) => {
      const shown = await resolveAccount(cli, account);
      showAnswer(cli.out, shown);
    });
  withFields(
    accounts
      .command('create')
      .description('Create an account')
      .argument('<provider/slug>', 'provider and name, which are the path of its webhooks'),
    accountFields,
  ).action(async (name: string, options: FieldOptions) => {
    const [provider, account_slug, ...rest] = name.split('/');
    if (!provider || !account_slug || rest.length > 0)
      throw usageError(`${name} is not a name`, 'Write it as provider/slug, such as generic/shop.');
    const body = { ...(await givenFields(cli, options)), provider, account_slug };
    showAnswer(cli.out, await requestJson(cli, 'POST', '/admin/accounts', { body }));
  });
  withFields(
    accounts
      .command('update')
      .description('Change fields of an account')
      .argument(...accountArgument),
    [...accountFields, ...changeOnly],
  ).action(async (account: string, options: FieldOptions) => {
    const body = await givenFields(cli, options);
    const { id } = await resolveAccount(cli, account);
    showAnswer(cli.out, await requestJson(cli, 'PATCH', `/admin/accounts/${id}`, { body }));
  });
  accounts
    .command('delete')
    .description('Delete an account; its events stay, and are not delivered any more')
    .argument(...accountArgument)
    .action(async (account: string) => {
      const { id, provider, account_slug } = await resolveAccount(cli, account);
      await cli.prompts.confirm(`Delete ${provider}/${account_slug}?`);
      answered(await cli.admin().accounts({ account_id: id }).delete());
      cli.out.note(`${provider}/${account_slug} is deleted.`);
    });
}
