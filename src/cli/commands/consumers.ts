import type { Command } from 'commander';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { consumerPath } from '../consumer-path.ts';
import { type FieldOptions, givenFields, withFields } from '../given-fields.ts';
import { showAnswer } from '../output/fields.ts';
import { requestJson } from '../request.ts';
import { resolveAccount } from '../resolve-account.ts';
import { accountArgument } from './accounts.ts';

/** Fields of a consumer that can be given. */
export const consumerFields = [
  ...['url', 'secret', 'signature', 'enabled', 'condition', 'headers', 'authentication', 'ca', 'timeout', 'schedule'],
  ...['success', 'final'],
];
const changeOnly = ['name', 'rotate', 'replace_previous', 'secret_previous_expires_at'];

const consumerArgument = ['<consumer>', 'its name'] as const;

/** `consumers`: list, show, create, update, delete. */
export function addConsumersCommands(program: Command, cli: Cli): void {
  const consumers = program.command('consumers').description('Consumers of an account: where its events are delivered');
  const path = (account: string, consumer: string) => consumerPath(cli, account, consumer);
  consumers
    .command('list')
    .description('List the consumers of an account')
    .argument(...accountArgument)
    .action(async (account: string) => {
      const { id } = await resolveAccount(cli, account);
      cli.out.table(
        [
          { title: 'NAME', value: (row) => row.name },
          { title: 'ENABLED', value: (row) => row.enabled },
          { title: 'PAUSED', value: (row) => row.paused !== null },
          { title: 'URL', value: (row) => row.url, optional: true },
          { title: 'CONDITION', value: (row) => row.condition, optional: true },
        ],
        answered(await cli.admin().accounts({ account_id: id }).consumers.get()),
      );
    });
  consumers
    .command('show')
    .description('Show all fields of a consumer; secrets are never shown')
    .argument(...accountArgument)
    .argument(...consumerArgument)
    .action(async (account: string, consumer: string) => {
      showAnswer(cli.out, await requestJson(cli, 'GET', await path(account, consumer)));
    });
  withFields(
    consumers
      .command('create')
      .description('Add a consumer to an account')
      .argument(...accountArgument)
      .argument('<name>', 'name of the new consumer'),
    consumerFields,
  ).action(async (account: string, name: string, options: FieldOptions) => {
    const body = { ...(await givenFields(cli, options)), name };
    const { id } = await resolveAccount(cli, account);
    showAnswer(cli.out, await requestJson(cli, 'POST', `/admin/accounts/${id}/consumers`, { body }));
  });
  withFields(
    consumers
      .command('update')
      .description('Change fields of a consumer')
      .argument(...accountArgument)
      .argument(...consumerArgument),
    [...consumerFields, ...changeOnly],
  ).action(async (account: string, consumer: string, options: FieldOptions) => {
    const body = await givenFields(cli, options);
    showAnswer(cli.out, await requestJson(cli, 'PATCH', await path(account, consumer), { body }));
  });
  consumers
    .command('delete')
    .description('Delete a consumer; its events that are not delivered end')
    .argument(...accountArgument)
    .argument(...consumerArgument)
    .action(async (account: string, consumer: string) => {
      const address = await path(account, consumer);
      await cli.prompts.confirm(`Delete the consumer ${consumer} of ${account}?`);
      await requestJson(cli, 'DELETE', address);
      cli.out.note(`The consumer ${consumer} of ${account} is deleted.`);
    });
}
