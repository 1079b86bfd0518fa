import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Log } from '../shared/log.ts';
import { applyLater } from './apply-later.ts';
import { connectDatabase, type Database } from './database.ts';
import { isLockTimeout } from './errors.ts';
import { applyFunctions, functionChanges, missingFunctions } from './functions.ts';
import { lockKeys } from './lock-keys.ts';
import { firstMigration } from './migrations.ts';
import { daysAhead, ensurePartitions, partitionsAhead } from './partitions.ts';
import { refuseSkippedRelease } from './release-order.ts';
import { type Release, refuseOtherSchema, thisRelease } from './schema-check.ts';
import { soleConnection } from './sole-connection.ts';
import type { Sql } from './sql.ts';
import { sqlOfClient, whileItMayBreak } from './transaction.ts';
import { dayMs } from './uuid-time.ts';
import { type LockTries, whileLocked } from './while-locked.ts';

/** How often a process checks whether another process has finished migrating. */
const lockPollMs = 250;
/**
 * Half a minute, because a try waits for a lock for 1 s: as long as the `ANALYZE` of a large table. Workers create the
 * partitions of later days, so a migration need not wait for longer.
 */
const partitionTries: LockTries = { tries: 10, pauseMs: 2_000 };

/** The changes that a call has made. */
export interface Migrated {
  /** The names of the migrations that were applied. */
  migrations: string[];
  /** The functions that were created or replaced. */
  functions: string[];
}

/**
 * Updates the schema and its functions, and creates the partitions of the coming days. Several processes may call it at
 * the same time: an advisory lock lets one of them work; the others wait and then find nothing to do. On the schema of a
 * later release, it leaves what that release has made.
 *
 * @param locks the tries to create partitions while a table is locked; for tests.
 * @throws StartError for the schema of a version that this one cannot migrate, and when a migration's table stays locked;
 *   the lock timeout when the partitions of today or tomorrow are missing and their tables stay locked.
 */
export async function migrate(
  database: Database,
  log: Log,
  release: Release = thisRelease,
  locks = partitionTries,
): Promise<Migrated> {
  const lock = await database.pool.connect();
  return whileItMayBreak(lock, async () => {
    try {
      // Polls for the lock, because a query that waits for it would reach the pool's time limit.
      while (!(await tryLock(lock))) await sleep(lockPollMs);
      const applied = await applyMigrations(database.url, log, release);
      await createPartitions(database, log, locks);
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
 * Applies the first migration, with the functions that its triggers call, in one transaction, so that either all or none take
 * effect; then each later migration in its own (`applyLater`); then the functions that have changed, because they may use
 * what the migrations add, while the old ones can do without. Uses a dedicated connection without time limits, because
 * rewriting a large table takes longer than the pool's limit.
 */
async function applyMigrations(url: string, log: Log, release: Release): Promise<Migrated> {
  const database = await connectDatabase({
    ...{ url, log, maxConnections: 1, wholeTables: true, migrations: release.migrations },
  });
  const connection = soleConnection(database);
  const { em, migrator } = database.orm;
  const inTransaction = <T>(work: (sql: Sql, transaction: unknown) => Promise<T>) =>
    em.fork().transactional((own) => work(sqlOfClient(connection.client()), own.getTransactionContext()));
  try {
    // Creates the migrator's table, which the migrator does outside of any transaction.
    await migrator.getPending();
    const { created, first, pending, newer } = await inTransaction(async (sql, transaction) => {
      const { applied, newer } = await refuseOtherSchema(sql, release);
      const pending = release.migrations.filter(({ name }) => !applied.includes(name));
      if (applied.length > 0) await refuseSkippedRelease(sql, { applied, pending, release });
      const created = await applyFunctions(sql, await missingFunctions(sql));
      const first = await migrator.up({ transaction, migrations: [firstMigration.name] });
      return { created, first: first.map(({ name }) => name), pending, newer };
    });
    const later = pending.filter(({ name }) => !first.includes(name));
    const migrations = [...first, ...(await applyLater({ database, pending: later, log }))];
    const replaced = await inTransaction(async (sql) => applyFunctions(sql, await functionChanges(sql, { newer })));
    return { migrations, functions: [...created, ...replaced] };
  } finally {
    connection.giveBack();
    await database.close();
  }
}

async function createPartitions(database: Database, log: Log, locks: LockTries): Promise<void> {
  const onLocked = () => log.info({ againInMs: locks.pauseMs }, 'table locked, retrying to create partitions');
  try {
    await whileLocked(() => ensurePartitions(database, new Date(), daysAhead), locks, onLocked);
  } catch (error) {
    if (!isLockTimeout(error) || !(await hasTodayAndTomorrow(database))) throw error;
    log.warn({ err: error }, 'partitions of later days not created, a table stays locked; workers create them');
  }
}

/** `partitionsAhead` begins with the day after the given one. */
const hasTodayAndTomorrow = async (database: Database): Promise<boolean> =>
  (await partitionsAhead(database, new Date(Date.now() - dayMs))) >= 2;

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
