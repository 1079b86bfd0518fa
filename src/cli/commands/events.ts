import type { Command } from 'commander';
import { type EventState, eventStates } from '../../events/event-state.ts';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { whole } from '../gateway-fetch.ts';
import { writeNewFile } from '../new-file.ts';
import { timeAgo } from '../options.ts';
import { fieldsOf } from '../output/fields.ts';
import { printable } from '../output/printable.ts';
import { type PageOptions, paged, withPages } from '../paged.ts';
import { request } from '../request.ts';
import { eventColumns } from './event-columns.ts';
import { addressFilter, eventId } from './event-filter.ts';
import { addEventOrders } from './event-orders.ts';
import { addTailCommand } from './tail.ts';

interface EventFilter {
  account?: string;
  appKey?: string;
  provider?: string;
  type?: string;
  consumer?: string;
  externalId?: string;
  state?: EventState;
  incident?: string;
  since?: string;
  until?: string;
}

/** `events`: list, show, payload, and what operators do with events. */
export function addEventsCommands(program: Command, cli: Cli): void {
  const events = program.command('events').description('Events: what arrived, and what became of it');
  const list = events
    .command('list')
    .description('List events, the newest first')
    .option(
      '--account <account>',
      'only those received at the address that this account has now: provider/slug, or its id',
    )
    .option('--app-key <key>', 'only those of this application')
    .option('--provider <name>', 'only those of this provider')
    .option('--type <type>', 'only those of this type')
    .option('--consumer <name>', 'only those of consumers with this name')
    .option('--external-id <id>', 'only the one that the provider calls so')
    .addOption(program.createOption('--state <state>', 'only those in this state').choices(eventStates))
    .option('--incident <id>', 'only those of this incident')
    .option('--since <time>', 'received since then: ISO 8601, or how long ago, such as 1h', timeAgo)
    .option('--until <time>', 'received until then', timeAgo);
  withPages(list).action(async (options: EventFilter & PageOptions) => {
    const filter = {
      ...{ app_key: options.appKey, provider: options.provider, event_type: options.type, state: options.state },
      ...{ consumer: options.consumer, external_id: options.externalId, incident: options.incident },
      ...{ since: options.since, until: options.until },
      ...(await addressFilter(cli, options.account)),
    };
    const read = async (page: { limit: number; before: string | undefined }) =>
      answered(await cli.admin().events.get({ query: { ...filter, ...page } }));
    cli.out.table(eventColumns, await paged(options, read));
  });
  events
    .command('show')
    .description('Show an event, and its attempts')
    .argument('<id>', 'id of the event', eventId)
    .action(async (id: string) => {
      const event = answered(await cli.admin().events({ event_id: id }).get());
      if (cli.out.json) return cli.out.document(event);
      const { payload: _, headers: __, delivery_history, ...shown } = event;
      cli.out.record(fieldsOf(shown).filter(([, value]) => value !== null));
      if (delivery_history.length === 0) return;
      cli.out.text('');
      cli.out.table(
        [
          { title: 'ATTEMPT', value: (row) => row.number, right: true },
          { title: 'STARTED', value: (row) => row.started_at },
          { title: 'OUTCOME', value: (row) => row.outcome },
          { title: 'STATUS', value: (row) => row.response_code, right: true, optional: true },
          { title: 'MS', value: (row) => Math.round(row.duration_ms), right: true, optional: true },
        ],
        delivery_history,
      );
    });
  events
    .command('payload')
    .description('Write the body of an event as it arrived, byte for byte')
    .argument('<id>', 'id of the event', eventId)
    .option('--output <file>', 'write it to this file, which must not exist')
    .action(async (id: string, { output }: { output?: string }) => {
      const answer = await request(cli, 'GET', `/admin/events/${id}/payload`, { accept: '*/*' });
      const body = Buffer.from(await whole(() => answer.arrayBuffer()));
      if (output !== undefined) {
        writeNewFile(output, body);
        cli.out.note(`${body.length} bytes are in ${output}.`);
      } else if (cli.out.terminal) cli.out.text(printable(body.toString()));
      else await cli.out.bytes(body);
    });
  addTailCommand(events, cli);
  addEventOrders(events, program, cli);
}
