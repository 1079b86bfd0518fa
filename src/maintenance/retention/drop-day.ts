import type { PoolClient } from 'pg';
import type { Database } from '../../database/database.ts';
import { lockKeys } from '../../database/lock-keys.ts';
import { partitionName } from '../../database/partitions.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';
import { noteFeedLoss } from '../../events/feed/feed-state.ts';
import { forgetDay, forgetDayDeltas, readDayCounts } from './day-statistics.ts';
import { hasDedupKey, hasWork, partitionsOf } from './pending.ts';
import { heldForLong, isTimeout, lockPatienceMs, lockTables } from './table-locks.ts';

/** `dedup_keys`: a webhook could still be a duplicate of an event of the day. */
export type KeptReason = 'pending_events' | 'dedup_keys' | 'busy';
/** `gone`: another process has already dropped the day. */
export type DayOutcome =
  | { kind: 'dropped'; lockedMs: number }
  | { kind: 'gone' }
  | { kind: 'kept'; reason: KeptReason };

/** Tries for a day whose events change during the check. After them, it is kept until the next run. */
const rounds = 3;

/** Rolls the transaction back. `changed`: the day changed between the two checks, so another try may succeed. */
class NotNow extends Error {
  readonly why: KeptReason | 'changed';
  constructor(why: KeptReason | 'changed') {
    super(why);
    this.why = why;
  }
}

/**
 * Drops all tables of a day and the statistics of its events in one transaction, unless one of the events still has
 * work to do, or can have a duplicate. The latency statistics of the last 24 hours are not affected: they go by the time of the delivery.
 *
 * Dropping a partition requires an exclusive lock of its parent table, which blocks everything for a few milliseconds.
 * So all slow steps come before it: a first check, and the deletion of the counts. A second check under the lock
 * ensures that nothing has changed since. Both checks use indexes and counts and do not read the day's rows.
 * `detach … concurrently` needs no such lock, but cannot run in a transaction and waits for every backup.
 *
 * @throws the database's error; in this case nothing has changed.
 */
export async function dropDay(
  database: Database,
  day: Date,
  patienceMs: readonly number[] = lockPatienceMs,
): Promise<DayOutcome> {
  for (let round = 0; round < rounds; round++) {
    try {
      return await inTransaction(database.pool, (client) => dropUnlessNeeded(client, day, patienceMs));
    } catch (error) {
      const why = error instanceof NotNow ? error.why : isTimeout(error) ? 'busy' : null;
      if (why === null) throw error;
      if (why !== 'changed') return { kind: 'kept', reason: why };
    }
  }
  return { kind: 'kept', reason: 'busy' };
}

async function dropUnlessNeeded(client: PoolClient, day: Date, patienceMs: readonly number[]): Promise<DayOutcome> {
  const sql = sqlOfClient(client);
  await client.query("set local lock_timeout = '1s'");
  // From here on, no other process folds the day's deltas or drops days.
  await client.query('select pg_advisory_xact_lock($1)', [lockKeys.statistics]);
  const found = await partitionsOf(sql, day);
  if (found.size === 0) return { kind: 'gone' };
  const partitions = [...found];
  if (await hasWork(sql, day, found)) throw new NotNow('pending_events');
  if (await hasDedupKey(sql, day)) throw new NotNow('dedup_keys');
  if (await heldForLong(client, partitions)) throw new NotNow('busy');

  const { deltas, pending } = await readDayCounts(sql, day);
  if (pending > 0) throw new NotNow('pending_events');
  await forgetDay(sql, day);

  if (!(await lockTables(client, partitions, patienceMs))) throw new NotNow('busy');
  const lockedMs = performance.now();
  // A concurrent replay or late event has either committed by now, or will find the day dropped.
  if (await hasWork(sql, day, found)) throw new NotNow('pending_events');
  if ((await forgetDayDeltas(sql, day)) !== deltas) throw new NotNow('changed');
  const events = partitionName('events', day);
  if (found.has(events)) await noteFeedLoss(sql, events);
  await client.query(`drop table ${partitions.join(', ')}`);
  return { kind: 'dropped', lockedMs: performance.now() - lockedMs };
}
