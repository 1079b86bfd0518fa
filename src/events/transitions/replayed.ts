import type { Sql } from '../../database/sql.ts';
import { type EventRow, eventColumns } from '../event.ts';
import { applied, applyReplays, type Operation } from './operation.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | `replay` | `received` | `pending` |
 * | `replay-failed`, or a duplicate | `received` if either state was `failed`, unless `dead` | `pending` in the same case |
 *
 * `generation` + 1, with ten new attempts at once. Rejected events and those of deleted accounts are never replayed. What a replay
 * resets is in migrations/functions/replay_events.sql alone.
 */
const replayEvents = { name: 'replay_events', text: 'select replay_events(array[$1]::uuid[], $2) as id' };
const readReplayed = { name: 'read_replayed', text: `select ${eventColumns} from events e where e.id = $1` };

async function replayed(sql: Sql, eventId: string, onlyFailed: boolean): Promise<EventRow | undefined> {
  const [changed] = await sql.query<{ id: string }>(replayEvents, [eventId, onlyFailed]);
  if (!changed) return undefined;
  return (await sql.query<EventRow>(readReplayed, [eventId]))[0];
}

/**
 * Ten new attempts at once, under a new generation; revives dead events too (docs/concepts.md).
 *
 * @param sql in a transaction, so that the row that is returned is the one that this call has changed.
 */
export function replay(sql: Sql, eventId: string): Promise<Operation> {
  return applied(sql, eventId, 'needs_account', () => replayed(sql, eventId, false));
}

/** Replays an event if it has failed by now: of several concurrent calls, one does. Null when it was not replayed. */
export async function replayIfFailed(sql: Sql, eventId: string): Promise<EventRow | null> {
  await sql.query(applyReplays, [[eventId]]);
  return (await replayed(sql, eventId, true)) ?? null;
}

// migrations/functions/replay_failed_events.sql and apply_next_replays.sql
const replayFailedEvents = {
  name: '',
  text: 'select replay_failed_events($1, $2) as replayed',
};
const applyNextReplays = { name: 'apply_next_replays', text: 'select apply_next_replays($1) as taken' };

/** Replays in one transaction: a tenth of a second's work, during which operators who change one of these events wait. */
const replaysABatch = 1_000;

/**
 * Replays every event whose delivery or whose processing has failed, but none that is dead, rejected, or of a deleted account.
 * More than a few thousand show it a moment later, when a worker has got to them: see `applyWaitingReplays`.
 *
 * @param filter only events of this application or provider.
 * @returns how many are replayed; of two calls at once each event is counted by one.
 */
export async function replayFailed(
  sql: Sql,
  filter: { app_key?: string | undefined; provider?: string | undefined } = {},
): Promise<number> {
  const [row] = await sql.query<{ replayed: number }>(replayFailedEvents, [
    filter.app_key ?? null,
    filter.provider ?? null,
  ]);
  return row?.replayed ?? 0;
}

/**
 * Carries out some of the replays that `replayFailed` has left to the workers.
 *
 * @returns whether there may be more.
 */
export async function applyWaitingReplays(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ taken: number }>(applyNextReplays, [replaysABatch]);
  return row?.taken === replaysABatch;
}
