import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { lockKeys } from '../../database/lock-keys.ts';
import { dailyTables } from '../../database/partitions.ts';

/**
 * How long each try to lock the tables waits. While one waits, all who come later wait behind it, ingestion too; so the
 * first tries ask for little, and a busy server is left alone after the last one.
 */
export const lockPatienceMs: readonly number[] = [20, 50, 100, 100, 100];
/** Between two tries: what has piled up behind one goes on. */
const pauseMs = 150;
/** While the locks are held, what each statement may take, and wait for a lock. Everybody waits meanwhile; it is milliseconds. */
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
 * Whether somebody has been at these tables, or their parents, for so long that a try to lock them would be in vain: a
 * backup, a long list. (Who they are only shows to their own user; for others there are the tries.)
 */
export async function heldForLong(client: PoolClient, partitions: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(findHolders, [[...dailyTables, ...partitions]]);
  return rows[0]?.held === true;
}

/**
 * Locks partitions and their parents against everybody until the end of the transaction, the parents first, as every
 * statement does.
 *
 * @returns false when they were not to be had; then no lock is held.
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
      // The time of the whole statement, not of each of its locks.
      await client.query(`set local statement_timeout = ${waitMs}; set local lock_timeout = ${waitMs}`);
      // Whoever makes partitions takes these in the same order.
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

/** A lock, or a statement, took longer than it was given. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '57014');
}
