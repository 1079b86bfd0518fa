import { setTimeout as sleep } from 'node:timers/promises';
import { type Migration, MigrationRunner } from '@mikro-orm/migrations';
import type { Transaction } from '@mikro-orm/postgresql';
import type { Log } from '../shared/log.ts';
import { StartError } from '../shared/start-error.ts';
import type { Database } from './database.ts';
import { sqlState } from './errors.ts';
import type { LaterMigration } from './migrations.ts';

/**
 * How long a migration waits for the lock of a table. All statements on the table that come after it wait as long, so
 * this is less than the 2 s by which an upgrade may delay a delivery.
 */
const lockTimeoutMs = 500;
/** Between two tries, so that what waited behind the migration can run. */
const pauseMs = 2_000;
/** With the pauses, about two and a half minutes: longer than any transaction of the gateway but a backup. */
const tries = 60;
/**
 * How long a concurrent index build waits for each transaction that is older than it. Nothing waits for the build
 * meanwhile. As long as the tries of the others take together.
 */
const concurrentTimeoutMs = 120_000;

const record = `
  insert into applied_migrations (name, kind, applied_by, oldest_release) values (?, ?, ?, ?)`;

interface ApplyOptions {
  database: Database;
  /** Those that are not applied yet, oldest first. */
  pending: readonly LaterMigration[];
  /** The version of this program. */
  version: string;
  log: Log;
  /** How often a lock is tried for, the pause between two tries, and the limit of an index build; for tests. */
  locks?: { tries: number; pauseMs: number; concurrentTimeoutMs: number };
}

/**
 * Applies and records migrations after the first one, each in a transaction of its own. A migration that does not get a
 * lock at once gives up, lets the waiting statements run, and is tried again. So processes of this release and of the
 * one before can work while it runs. One that is not transactional builds an index concurrently, and is tried once.
 *
 * @param options.database opened with `maxConnections: 1` and `wholeTables`
 * @throws StartError when a table stays locked, or when an old transaction keeps an index from being built.
 */
export async function applyLater(options: ApplyOptions): Promise<string[]> {
  const { database, pending, log } = options;
  const limits = options.locks ?? { tries, pauseMs, concurrentTimeoutMs };
  const driver = database.orm.em.getDriver();
  for (const each of pending) {
    const concurrent = !instanceOf(database, each).isTransactional();
    await driver.execute(`set lock_timeout = ${concurrent ? limits.concurrentTimeoutMs : lockTimeoutMs}`);
    if (concurrent) log.info({ migration: each.name }, 'building an index, after the transactions that run now');
    await withRetries(
      each,
      concurrent ? { ...limits, tries: 1, text: buildHeldUp } : { ...limits, text: lockedOut },
      options,
    );
  }
  await driver.execute('set lock_timeout = 0');
  return pending.map(({ name }) => name);
}

/**
 * Applies and records migrations inside a transaction: that of a restore into an empty database. Those that run outside
 * of transactions are left for `migrate`.
 *
 * @returns the names of those that were applied.
 */
export async function applyLaterWithin(
  transaction: Transaction,
  { database, pending, version }: Pick<ApplyOptions, 'database' | 'pending' | 'version'>,
): Promise<string[]> {
  const inside = pending.filter((each) => instanceOf(database, each).isTransactional());
  for (const each of inside) await run(database, each, version, transaction);
  return inside.map(({ name }) => name);
}

async function withRetries(
  migration: LaterMigration,
  limits: { tries: number; pauseMs: number; text: (name: string) => string },
  { database, version, log }: ApplyOptions,
): Promise<void> {
  for (let left = limits.tries; ; left--) {
    try {
      return await run(database, migration, version);
    } catch (error) {
      // 55P03: lock_not_available
      if (sqlState(error) !== '55P03') throw error;
      if (left <= 1) throw new StartError(limits.text(migration.name), { cause: error });
      log.info({ migration: migration.name, againInMs: limits.pauseMs }, 'table locked, retrying the migration');
      await sleep(limits.pauseMs);
    }
  }
}

const endTransactions =
  'End long transactions (select pid, xact_start, query from pg_stat_activity order by xact_start), then run `npm run migrate` again.';

const lockedOut = (name: string) =>
  `The migration ${name} got no lock on a table, which another transaction holds. It has changed nothing. ${endTransactions}`;

const buildHeldUp = (name: string) =>
  `The migration ${name} builds an index, and a transaction that is older did not end in time. The unfinished index is ` +
  `not used, and the next try replaces it. ${endTransactions}`;

async function run(
  database: Database,
  each: LaterMigration,
  version: string,
  transaction?: Transaction,
): Promise<void> {
  const driver = database.orm.em.getDriver();
  const runner = new MigrationRunner(driver, { transactional: true, disableForeignKeys: false }, database.orm.config);
  if (transaction !== undefined) runner.setMasterMigration(transaction);
  const { kind, oldestRelease } = each.class;
  // In the migration's own transaction, if it has one, so that it is applied and recorded, or neither.
  await runner.run(instanceOf(database, each), 'up', async (own) => {
    await driver.execute(record, [each.name, kind, version, oldestRelease], 'run', own ?? transaction);
  });
}

const instanceOf = ({ orm }: Database, { class: Class }: LaterMigration): Migration =>
  new Class(orm.em.getDriver(), orm.config);
