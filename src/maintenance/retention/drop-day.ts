import type { PoolClient } from 'pg';
import type { Database } from '../../database/database.ts';
import { lockKeys } from '../../database/lock-keys.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';
import { forgetDay, forgetDayDeltas, readDayCounts } from './day-statistics.ts';
import { hasWork, partitionsOf } from './pending.ts';
import { heldForLong, isTimeout, lockPatienceMs, lockTables } from './table-locks.ts';

export type KeptReason = 'pending_events' | 'busy';
/** `gone`: somebody else has dropped it. */
export type DayOutcome =
  | { kind: 'dropped'; lockedMs: number }
  | { kind: 'gone' }
  | { kind: 'kept'; reason: KeptReason };

/** A day whose events change again and again while it is looked at is not one to be dropped now. */
const rounds = 3;

/** Rolls the transaction back. `changed`: between the two looks; worth another round. */
class NotNow extends Error {
  readonly why: KeptReason | 'changed';
  constructor(why: KeptReason | 'changed') {
    super(why);
    this.why = why;
  }
}

/**
 * Drops all tables of a day with all that was counted of its events, in one transaction, unless something is still to be
 * done about one of them. The latencies of the last 24 hours keep the deliveries that were made then, whichever day's they were.
 *
 * PostgreSQL lets go of a partition only while nobody is at its parent, so for some milliseconds nobody is. Whatever takes
 * time comes before: a first look, and the deletion of the counts. Under the locks a second look makes sure that nothing has
 * changed since. The day's rows are not read at all: indexes and counts answer. (`detach … concurrently` would need no such
 * lock, but is not to be had in a transaction, and waits for every backup.)
 *
 * @throws what the database throws; then nothing has changed.
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
  // Nobody folds the day's differences from here on, and nobody else drops days.
  await client.query('select pg_advisory_xact_lock($1)', [lockKeys.statistics]);
  const found = await partitionsOf(sql, day);
  if (found.size === 0) return { kind: 'gone' };
  const partitions = [...found];
  if (await hasWork(sql, day, found)) throw new NotNow('pending_events');
  if (await heldForLong(client, partitions)) throw new NotNow('busy');

  const { deltas, pending } = await readDayCounts(sql, day);
  if (pending > 0) throw new NotNow('pending_events');
  await forgetDay(sql, day);

  if (!(await lockTables(client, partitions, patienceMs))) throw new NotNow('busy');
  const lockedMs = performance.now();
  // A replay or a late event that came meanwhile has committed, or finds the day gone.
  if (await hasWork(sql, day, found)) throw new NotNow('pending_events');
  if ((await forgetDayDeltas(sql, day)) !== deltas) throw new NotNow('changed');
  await client.query(`drop table ${partitions.join(', ')}`);
  return { kind: 'dropped', lockedMs: performance.now() - lockedMs };
}
