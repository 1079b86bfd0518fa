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

/** How often a process checks whether another process has finished migrating. */
const lockPollMs = 250;

/** The changes that a call has made. */
export interface Migrated {
  /** The names of the migrations that were applied. */
  migrations: string[];
  /** The functions that were created, replaced or dropped. */
  functions: string[];
}

/**
 * Updates the schema and its functions, and creates the partitions of the coming days. Several processes may call it at
 * the same time: an advisory lock lets one of them work; the others wait and then find nothing to do.
 *
 * @throws StartError for the schema of a version that this one cannot migrate.
 */
export async function migrate(database: Database, log: Log): Promise<Migrated> {
  const lock = await database.pool.connect();
  return whileItMayBreak(lock, async () => {
    try {
      // Polls for the lock, because a query that waits for it would reach the pool's time limit.
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
 * Applies functions and migrations in one transaction, so that either all or none take effect. Uses a dedicated
 * connection without time limits, because rewriting a large table takes longer than the pool's limit.
 */
async function applyMigrations(url: string, log: Log): Promise<Migrated> {
  const database = await connectDatabase({ url, log, maxConnections: 1, wholeTables: true });
  const connection = soleConnection(database);
  const { em, migrator } = database.orm;
  try {
    // Creates the migrator's table, which the migrator does outside of any transaction.
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
