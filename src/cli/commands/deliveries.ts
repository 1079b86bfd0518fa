import type { Command } from 'commander';
import type { EventState } from '../../events/event-state.ts';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { wholeNumber } from '../options.ts';
import { age } from '../output/ages.ts';
import { fieldsOf } from '../output/fields.ts';
import { failureColumns } from './event-columns.ts';

/** The API lists no more of them. */
const mostListed = 200;

/** `deliveries`: stats, failed, retrying. */
export function addDeliveriesCommands(program: Command, cli: Cli): void {
  /** @param states those of the events that are listed, the most frequent first */
  const noteMore = (listed: readonly unknown[], which: string, [state, ...others]: [EventState, ...EventState[]]) => {
    if (listed.length === mostListed)
      cli.out.note(
        `${mostListed} are listed, ${which}. All of a state: webhook-gateway events list --state ${state} --all, also with ${others.join(', ')}`,
      );
  };
  const deliveries = program.command('deliveries').description('Deliveries: how many succeed, and which fail');
  deliveries
    .command('stats')
    .description('Count the deliveries of all stored events, with latencies of the last 24 hours')
    .action(async () => {
      const stats = answered(await cli.admin().delivery.stats.get());
      const { by_provider, by_hour: _, ...counts } = stats;
      if (cli.out.json) return cli.out.document(stats);
      cli.out.record(fieldsOf({ ...counts, oldest_pending: age(stats.oldest_pending_at) }));
      if (by_provider.length === 0) return;
      cli.out.text('');
      cli.out.table(
        [
          { title: 'PROVIDER', value: (row) => row.provider },
          { title: 'TOTAL', value: (row) => row.total, right: true },
          { title: 'FAILED', value: (row) => row.failed, right: true },
          { title: 'PENDING', value: (row) => row.pending, right: true, optional: true },
          { title: 'DELIVERED', value: (row) => row.delivered, right: true, optional: true },
        ],
        by_provider,
      );
    });
  deliveries
    .command('failed')
    .description(`List events whose delivery failed, the newest ${mostListed}`)
    .action(async () => {
      const failed = answered(await cli.admin().delivery.failed.get());
      cli.out.table(failureColumns, failed);
      noteMore(failed, 'the newest', ['exhausted', 'acknowledged', 'dead', 'ended', 'failed_by_person']);
    });
  deliveries
    .command('retrying')
    .description(`List events that are being retried, the ${mostListed} with most attempts`)
    .option('--min-attempts <n>', 'only those with as many attempts', wholeNumber)
    .action(async ({ minAttempts }: { minAttempts?: number }) => {
      const retrying = answered(await cli.admin().delivery.retrying.get({ query: { min_attempts: minAttempts } }));
      cli.out.table(failureColumns, retrying);
      noteMore(retrying, 'those with most attempts', ['retrying', 'waiting']);
    });
}
