import type { Command } from 'commander';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { type FieldOptions, givenFields, withFields } from '../given-fields.ts';
import { showAnswer } from '../output/fields.ts';
import { requestJson } from '../request.ts';
import { resolveAccount } from '../resolve-account.ts';
import { accountArgument } from './accounts.ts';

/** Fields of a destination that can be given. */
export const destinationFields = ['destination_type', 'config', 'condition', 'kinds', 'enabled', 'position'];

const destinationArgument = ['<destination>', 'its id, or its name if no other has it'] as const;

/** `destinations`: list, show, create, update, delete. */
export function addDestinationsCommands(program: Command, cli: Cli): void {
  const destinations = program
    .command('destinations')
    .description('Destinations of an account: who is told when deliveries fail');
  const all = async (id: string) => answered(await cli.admin().accounts({ account_id: id }).destinations.get());
  const found = async (account: string, destination: string) => {
    const { id } = await resolveAccount(cli, account);
    const matching = (await all(id)).filter((row) => row.id === destination.toLowerCase() || row.name === destination);
    const [first, second] = matching;
    if (second)
      throw usageError(
        `several destinations have the name ${destination}`,
        `Use an id: ${matching.map((row) => row.id).join(', ')}`,
      );
    if (!first)
      throw new CliError(
        exitCodes.notFound,
        `there is no destination ${destination} of ${account}`,
        `\`webhook-gateway destinations list ${account}\` shows those that there are.`,
      );
    return { destination: first, path: `/admin/accounts/${id}/destinations/${first.id}` };
  };
  destinations
    .command('list')
    .description('List the destinations of an account')
    .argument(...accountArgument)
    .action(async (account: string) => {
      const { id } = await resolveAccount(cli, account);
      cli.out.table(
        [
          { title: 'NAME', value: (row) => row.name },
          { title: 'TYPE', value: (row) => row.destination_type },
          { title: 'ENABLED', value: (row) => row.enabled },
          { title: 'ID', value: (row) => row.id, optional: true },
          { title: 'CONDITION', value: (row) => row.condition, optional: true },
        ],
        await all(id),
      );
    });
  destinations
    .command('show')
    .description('Show all fields of a destination')
    .argument(...accountArgument)
    .argument(...destinationArgument)
    .action(async (account: string, name: string) => {
      const { destination } = await found(account, name);
      showAnswer(cli.out, destination);
    });
  withFields(
    destinations
      .command('create')
      .description('Add a destination to an account')
      .argument(...accountArgument)
      .argument('<name>', 'name of the new destination'),
    destinationFields,
  ).action(async (account: string, name: string, options: FieldOptions) => {
    const body = { ...(await givenFields(cli, options)), name };
    const { id } = await resolveAccount(cli, account);
    showAnswer(cli.out, await requestJson(cli, 'POST', `/admin/accounts/${id}/destinations`, { body }));
  });
  withFields(
    destinations
      .command('update')
      .description('Change fields of a destination')
      .argument(...accountArgument)
      .argument(...destinationArgument),
    [...destinationFields, 'name'],
  ).action(async (account: string, name: string, options: FieldOptions) => {
    const body = await givenFields(cli, options);
    showAnswer(cli.out, await requestJson(cli, 'PATCH', (await found(account, name)).path, { body }));
  });
  destinations
    .command('delete')
    .description('Delete a destination')
    .argument(...accountArgument)
    .argument(...destinationArgument)
    .action(async (account: string, name: string) => {
      const { destination, path } = await found(account, name);
      await cli.prompts.confirm(`Delete the destination ${destination.name} of ${account}?`);
      await requestJson(cli, 'DELETE', path);
      cli.out.note(`The destination ${destination.name} of ${account} is deleted.`);
    });
}
