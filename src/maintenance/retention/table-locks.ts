import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { isCanceled, isLockTimeout } from '../../database/errors.ts';
import { lockKeys } from '../../database/lock-keys.ts';
import { dailyTables } from '../../database/partitions.ts';

/**
 * How long each try to lock the tables waits. While it waits, all later transactions, including ingestion, queue behind
 * it. So the first tries are short, and after the last one the day is left for the next run.
 */
export const lockPatienceMs: readonly number[] = [20, 50, 100, 100, 100];
/** The pause between two tries, in which the queued transactions continue. */
const pauseMs = 150;
/** Limits for statements and locks while the tables are locked. All other transactions wait; normally a few ms. */
const heldStatementMs = 1_000;
const heldWaitMs = 200;

const findHolders = `
  select exists (
    select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.pid <> pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
      and l.relation in (select to_regclass(name) from unnest($1::text[]) as name)
      and a.xact_start < clock_timestamp() - interval '1 second'
  ) as held`;

/**
 * Whether a long transaction, such as a backup, holds locks of these tables or their parents, so that a try to lock
 * them would fail. Transactions of other database users are not visible here; for them, the tries time out.
 */
export async function heldForLong(client: PoolClient, partitions: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(findHolders, [[...dailyTables, ...partitions]]);
  return rows[0]?.held === true;
}

/**
 * Locks partitions and their parents exclusively until the end of the transaction. Parents come first, in the same
 * order as in all other statements.
 *
 * @returns false when the locks could not be acquired; no lock is held then.
 */
export async function lockTables(
  client: PoolClient,
  partitions: readonly string[],
  patienceMs: readonly number[],
): Promise<boolean> {
  const tables = [...dailyTables, ...partitions].map((table) => `only ${table}`).join(', ');
  for (const [n, waitMs] of patienceMs.entries()) {
    if (n > 0) await sleep(pauseMs);
    if (await heldForLong(client, partitions)) return false;
    await client.query('savepoint unlocked');
    try {
      // `statement_timeout` limits the whole statement; `lock_timeout` alone would limit each of its locks.
      await client.query(`set local statement_timeout = ${waitMs}; set local lock_timeout = ${waitMs}`);
      // The creation of partitions takes these locks in the same order.
      await client.query('select pg_advisory_xact_lock($1)', [lockKeys.partitions]);
      await client.query(`lock table ${tables} in access exclusive mode`);
      await client.query(`set local statement_timeout = ${heldStatementMs}; set local lock_timeout = ${heldWaitMs}`);
      return true;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      await client.query('rollback to savepoint unlocked');
    }
  }
  return false;
}

/** Whether a statement took too long, or waited too long for a lock. */
export const isTimeout = (error: unknown): boolean => isLockTimeout(error) || isCanceled(error);
