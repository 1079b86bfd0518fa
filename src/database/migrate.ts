import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Log } from '../shared/log.ts';
import { connectDatabase, type Database } from './database.ts';
import { applyFunctions } from './functions.ts';
import { lockKeys } from './lock-keys.ts';
import { daysAhead, ensurePartitions } from './partitions.ts';
import { refuseOtherSchema } from './schema-check.ts';
import { soleConnection } from './sole-connection.ts';
import { sqlOfClient, whileItMayBreak } from './transaction.ts';

/** How often a process that waits for another one to migrate asks again. */
const lockPollMs = 250;

/** What a call has changed. */
export interface Migrated {
  /** The names of the migrations that were applied. */
  migrations: string[];
  /** The functions that were created, replaced or dropped. */
  functions: string[];
}

/**
 * Brings the schema and its functions up to date and makes the partitions of the coming days. Safe to run from several
 * processes at once: an advisory lock lets one of them work while the others wait, then find nothing left to do.
 *
 * @throws StartError for the schema of a version that this one cannot migrate.
 */
export async function migrate(database: Database, log: Log): Promise<Migrated> {
  const lock = await database.pool.connect();
  return whileItMayBreak(lock, async () => {
    try {
      // Asked for again and again: a query that waits would run into the pool's time limit.
      while (!(await tryLock(lock))) await sleep(lockPollMs);
      const applied = await applyMigrations(database.url, log);
      await ensurePartitions(database, new Date(), daysAhead);
      for (const name of applied.migrations) log.info({ migration: name }, 'migrated');
      if (applied.functions.length > 0) log.info({ functions: applied.functions }, 'functions applied');
      return applied;
    } finally {
      await lock.query('select pg_advisory_unlock($1)', [lockKeys.migration]).then(
        () => lock.release(),
        (error: Error) => lock.release(error),
      );
    }
  });
}

/**
 * In one transaction, so that there is everything or nothing. On a connection of its own: to rewrite a large table takes longer
 * than a statement of the running gateway may.
 */
async function applyMigrations(url: string, log: Log): Promise<Migrated> {
  const database = await connectDatabase({ url, log, maxConnections: 1, wholeTables: true });
  const connection = soleConnection(database);
  const { em, migrator } = database.orm;
  try {
    // Makes the migrator's own table, which it does outside of any transaction.
    await migrator.getPending();
    return await em.fork().transactional(async (transactional) => {
      const transaction = transactional.getTransactionContext();
      const sql = sqlOfClient(connection.client());
      await refuseOtherSchema(sql);
      const functions = await applyFunctions(sql);
      const migrated = await migrator.up({ transaction });
      return { migrations: migrated.map(({ name }) => name), functions };
    });
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
export async function migrateOnce(url: string, log: Log): Promise<Migrated> {
  const database = await connectDatabase({ url, log });
  try {
    return await migrate(database, log);
  } finally {
    await database.close();
  }
}
