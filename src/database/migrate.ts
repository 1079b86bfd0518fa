import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Log } from '../shared/log.ts';
import { connectDatabase, type Database } from './database.ts';
import { lockKeys } from './lock-keys.ts';
import { daysAhead, ensurePartitions } from './partitions.ts';
import { soleConnection } from './sole-connection.ts';
import { whileItMayBreak } from './transaction.ts';

/** Any fixed number of ours: whoever holds it is the one that migrates. */
const lockPollMs = 250;

/**
 * Brings the schema up to date and makes the partitions of the coming days. Safe to run from several processes at once:
 * an advisory lock lets one of them work while the others wait, then find nothing left to do.
 *
 * @returns the names of the migrations that were applied now.
 */
export async function migrate(database: Database, log: Log): Promise<string[]> {
  const lock = await database.pool.connect();
  return whileItMayBreak(lock, async () => {
    try {
      // Asked for again and again: a query that waits would run into the pool's time limit.
      while (!(await tryLock(lock))) await sleep(lockPollMs);
      const applied = await applyMigrations(database.url, log);
      await ensurePartitions(database, new Date(), daysAhead);
      for (const { name } of applied) log.info({ migration: name }, 'migrated');
      return applied.map(({ name }) => name);
    } finally {
      await lock.query('select pg_advisory_unlock($1)', [lockKeys.migration]).then(
        () => lock.release(),
        (error: Error) => lock.release(error),
      );
    }
  });
}

/** On a connection of their own: to rewrite a large table takes longer than a statement of the running gateway may. */
async function applyMigrations(url: string, log: Log) {
  const database = await connectDatabase({ url, log, maxConnections: 1, wholeTables: true });
  const connection = soleConnection(database);
  try {
    return await database.orm.migrator.up();
  } finally {
    connection.giveBack();
    await database.close();
  }
}

async function tryLock(client: PoolClient): Promise<boolean> {
  const answer = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    lockKeys.migration,
  ]);
  return answer.rows[0]?.locked === true;
}

/** Opens the database, migrates it and closes it again: the role `migrate`. */
export async function migrateOnce(url: string, log: Log): Promise<string[]> {
  const database = await connectDatabase({ url, log });
  try {
    return await migrate(database, log);
  } finally {
    await database.close();
  }
}
