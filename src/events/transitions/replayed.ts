import type { Sql } from '../../database/sql.ts';
import { type EventRow, eventColumns } from '../event.ts';
import type { EventFilters, WithinAccounts } from '../event-filters.ts';
import { applied, applyReplays, type Operation } from './operation.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | `replay` | `received` | `pending` |
 * | `replay-failed` | `received` if either state was `failed`, unless `processed` or `dead` | `pending` in the same case |
 * | a duplicate | as `replay-failed` | `pending` in the same case |
 *
 * The generation is increased by 1, and ten new attempts start at once. Rejected events, skipped ones, and events of deleted
 * accounts and consumers are never replayed. Only migrations/functions/replay_events.sql defines what a replay resets.
 */
const replayEvents = { name: 'replay_events', text: 'select replay_events(array[$1]::uuid[], $2) as id' };
const readReplayed = { name: 'read_replayed', text: `select ${eventColumns} from events e where e.id = $1` };

async function replayed(sql: Sql, eventId: string, onlyFailed: boolean): Promise<EventRow | undefined> {
  const [changed] = await sql.query<{ id: string }>(replayEvents, [eventId, onlyFailed]);
  if (!changed) return undefined;
  return (await sql.query<EventRow>(readReplayed, [eventId]))[0];
}

/**
 * Replays an event: starts ten new attempts under a new generation. Revives dead events too (docs/concepts.md).
 *
 * @param sql must be in a transaction, so that the returned row is the one that this call has changed.
 */
export function replay(sql: Sql, eventId: string): Promise<Operation> {
  return applied(sql, eventId, 'needs_account', () => replayed(sql, eventId, false));
}

const replayMany = { name: 'replay_many_events', text: 'select replay_events($1::uuid[], false) as id' };

/**
 * Replays many events as `replay` does, in one statement. Returns the ids of those that were replayed. The caller has
 * applied their noted replays (`applyReplays`).
 *
 * @param ids sorted; each waits for transactions that change it.
 */
export async function replayAll(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql.query<{ id: string }>(replayMany, [ids]);
  return new Set(rows.map(({ id }) => id));
}

/** Replays an event if it has failed and no person has closed it. Of several concurrent calls, one replays it. Null if this call did not. */
export async function replayIfFailed(sql: Sql, eventId: string): Promise<EventRow | null> {
  await sql.query(applyReplays, [[eventId]]);
  return (await replayed(sql, eventId, true)) ?? null;
}

// migrations/functions/replay_failed_events_2.sql and apply_next_replays.sql
const replayFailedEvents = {
  name: '',
  text: 'select replay_failed_events_2($1, $2, $3, $4, $5, $6, $7, $8) as replayed',
};
const applyNextReplays = { name: 'apply_next_replays', text: 'select apply_next_replays($1) as taken' };

/**
 * Replays per transaction: about 0.1 s of work. Operators' commands on one of these events wait for the transaction.
 */
const replaysABatch = 1_000;

/** Which failed events are replayed. */
type ReplayFailedFilter = Pick<
  EventFilters,
  'app_key' | 'provider' | 'since' | 'until' | 'account_slug' | 'account_id' | 'consumer'
> &
  WithinAccounts;

/** The accounts whose events a filter means; null: all. One outside of the token's scope leaves none. */
function accountsOf({ account_id, accountIds = null }: ReplayFailedFilter): readonly string[] | null {
  if (account_id === undefined) return accountIds;
  return accountIds === null || accountIds.includes(account_id) ? [account_id] : [];
}

/**
 * Replays every event whose delivery or processing has failed, except rejected events, those that a person has acknowledged
 * or declared dead, and those of deleted accounts and consumers. More than 2,000 events are only noted; workers replay them shortly afterwards (`applyWaitingReplays`).
 *
 * @param filter only events that match all of it; `consumer` is a name.
 * @param actor the name of the token, for the actions of the events; null: they get none
 * @returns how many events are replayed. Of two concurrent calls, one counts each event.
 */
export async function replayFailed(
  sql: Sql,
  filter: ReplayFailedFilter = {},
  actor: string | null = null,
): Promise<number> {
  const [row] = await sql.query<{ replayed: number }>(replayFailedEvents, [
    ...[filter.app_key ?? null, filter.provider ?? null, filter.since ?? null, filter.until ?? null],
    ...[filter.account_slug ?? null, filter.consumer ?? null, accountsOf(filter)],
    actor,
  ]);
  return row?.replayed ?? 0;
}

/**
 * Applies a batch of the replays that `replayFailed` has noted for the workers.
 *
 * @returns whether more noted replays may be left.
 */
export async function applyWaitingReplays(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ taken: number }>(applyNextReplays, [replaysABatch]);
  return row?.taken === replaysABatch;
}
