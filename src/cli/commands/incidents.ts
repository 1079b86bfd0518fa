import type { Command } from 'commander';
import { type IncidentKind, incidentKinds, incidentStates } from '../../incidents/incident.ts';
import { isId } from '../../shared/is-id.ts';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { usageError } from '../exit.ts';
import { wholeNumber } from '../options.ts';
import { age } from '../output/ages.ts';
import { showAnswer } from '../output/fields.ts';
import { resolveAccount } from '../resolve-account.ts';

interface ListOptions {
  state?: (typeof states)[number];
  account?: string;
  kind?: IncidentKind;
  limit: number;
}

const states = [...incidentStates, 'unfinished'] as const;

/** `incidents`: list, show, ack, resolve, reopen. */
export function addIncidentsCommands(program: Command, cli: Cli): void {
  const incidents = program.command('incidents').description('Incidents: what fails, by account, consumer and cause');
  incidents
    .command('list')
    .description('List incidents, the newest first')
    .addOption(program.createOption('--state <state>', 'only those in this state').choices(states))
    .addOption(program.createOption('--kind <kind>', 'only those of this kind').choices(incidentKinds))
    .option('--account <account>', 'only those of this account: provider/slug, or its id')
    .option('--limit <n>', 'how many at most', wholeNumber, 50)
    .action(async ({ state, kind, account, limit }: ListOptions) => {
      const account_id = account === undefined ? undefined : (await resolveAccount(cli, account)).id;
      cli.out.table(
        [
          { title: 'ID', value: (row) => row.id },
          { title: 'AGE', value: (row) => age(row.first_seen_at), right: true },
          { title: 'STATE', value: (row) => row.state },
          {
            title: 'ACCOUNT',
            value: (row) => row.account_slug && `${row.provider}/${row.account_slug}`,
            optional: true,
          },
          { title: 'CAUSE', value: (row) => row.cause, optional: true },
        ],
        answered(await cli.admin().incidents.get({ query: { state: state && [state], kind, account_id, limit } })),
      );
    });
  const incident = (id: string) => cli.admin().incidents({ incident_id: id });
  incidents
    .command('show')
    .description('Show an incident')
    .argument('<id>', 'id of the incident', incidentId)
    .action(async (id: string) => {
      showAnswer(cli.out, answered(await incident(id).get()));
    });
  const orders = [
    ['ack', 'acknowledged', 'Acknowledge an incident: a person works on it'],
    ['resolve', 'resolved', 'Close an incident'],
    ['reopen', 'open', 'Open a closed incident again'],
  ] as const;
  for (const [name, state, description] of orders)
    incidents
      .command(name)
      .description(description)
      .argument('<id>', 'id of the incident', incidentId)
      .option('--note <text>', 'kept with the incident')
      .action(async (id: string, { note }: { note?: string }) => {
        showAnswer(cli.out, answered(await incident(id).patch({ state, note })));
      });
}

function incidentId(text: string): string {
  if (!isId(text))
    throw usageError(`${text} is not the id of an incident`, '`webhook-gateway incidents list` shows ids.');
  return text;
}
