import type { Command } from 'commander';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { CliError } from '../exit.ts';
import { timeAgo } from '../options.ts';
import { resolveAccount } from '../resolve-account.ts';
import type { EventRow } from './event-columns.ts';
import { eventId } from './event-filter.ts';

type Order = (id: string) => Promise<EventRow>;

/** `events replay`, `retry`, `ack` and `fail`, and `replay-failed`. */
export function addEventOrders(events: Command, program: Command, cli: Cli): void {
  const idsOf = ['<ids...>', 'ids of events', (id: string, before: string[] = []) => [...before, eventId(id)]] as const;
  /** Goes on after a failure: each event stands for itself. Ends with the code of the first failure. */
  const forEach = async (ids: readonly string[], order: Order) => {
    let failure: CliError | null = null;
    for (const id of ids) {
      try {
        const event = await order(id);
        cli.out.line(event, `${event.id}  ${event.state}`);
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        if (ids.length === 1) throw error;
        failure ??= error;
        cli.out.note(`${id}  ${error.message}`);
      }
    }
    if (failure) throw new CliError(failure.exitCode, 'not all events could be changed', failure.next);
  };
  const event = (id: string) => cli.admin().events({ event_id: id });
  events
    .command('replay')
    .description('Deliver events again, from the first attempt on')
    .argument(...idsOf)
    .option('--reason <text>', 'kept with the event, among its actions')
    .action((ids: string[], { reason }: { reason?: string }) =>
      forEach(ids, async (id) => answered(await event(id).replay.post({ reason }))),
    );
  events
    .command('retry')
    .description('Make an attempt now; the schedule goes on as it was')
    .argument(...idsOf)
    .option('--reason <text>', 'kept with the event, among its actions')
    .action((ids: string[], { reason }: { reason?: string }) =>
      forEach(ids, async (id) => answered(await cli.admin().delivery.retry({ event_id: id }).post({ reason }))),
    );
  events
    .command('ack')
    .description('Acknowledge events: no more attempts, and they do not count as failed')
    .argument(...idsOf)
    .option('--reason <text>', 'kept with the event, among its actions')
    .action((ids: string[], { reason }: { reason?: string }) =>
      forEach(ids, async (id) => answered(await event(id).ack.post({ reason }))),
    );
  events
    .command('fail')
    .description('Mark events as failed, which the consumer could not process; attempts go on')
    .argument(...idsOf)
    .option('--error <text>', 'why, kept with the event')
    .option('--dead', 'declare them dead, which ends their attempts')
    .action(async (ids: string[], { error, dead }: { error?: string; dead?: boolean }) => {
      if (dead) await cli.prompts.confirm(`Declare ${ids.length === 1 ? ids[0] : `${ids.length} events`} dead?`);
      await forEach(ids, async (id) => answered(await event(id).fail.post({ error, dead })));
    });
  program
    .command('replay-failed')
    .description('Replay all failed events that match')
    .option('--account <account>', 'only those of this account, also under earlier slugs: provider/slug, or its id')
    .option('--app-key <key>', 'only those of this application')
    .option('--provider <name>', 'only those of this provider')
    .option('--consumer <name>', 'only those of consumers with this name')
    .option('--since <time>', 'received since then: ISO 8601, or how long ago, such as 1h', timeAgo)
    .option('--until <time>', 'received until then', timeAgo)
    .action(async (options: ReplayFilter) => {
      const { account, appKey, provider, consumer, since, until } = options;
      const account_id = account === undefined ? undefined : (await resolveAccount(cli, account)).id;
      const query = { account_id, app_key: appKey, provider, consumer, since, until };
      const which = [account, appKey, provider, consumer, since, until].filter((value) => value !== undefined);
      await cli.prompts.confirm(`Replay all failed events${which.length > 0 ? ` (${which.join(', ')})` : ''}?`);
      const result = answered(await cli.admin().events['replay-failed'].post(undefined, { query }));
      cli.out.record(
        [
          ['replayed', result.replayed],
          ['left out', result.left_out],
        ],
        result,
      );
    });
}

interface ReplayFilter {
  account?: string;
  appKey?: string;
  provider?: string;
  consumer?: string;
  since?: string;
  until?: string;
}
