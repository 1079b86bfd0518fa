import { type Migration, MigrationRunner } from '@mikro-orm/migrations';
import type { Log } from '../shared/log.ts';
import { StartError } from '../shared/start-error.ts';
import type { Database } from './database.ts';
import { isLockTimeout } from './errors.ts';
import type { NamedMigration } from './migrations.ts';
import { endLongTransactions, type LockTries, whileLocked } from './while-locked.ts';

/**
 * How long a migration waits for the lock of a table. All statements on the table that come after it wait as long, so
 * this is less than the 2 s by which an upgrade may delay a delivery.
 */
const lockTimeoutMs = 500;
/** About two and a half minutes: longer than any transaction of the gateway but a backup. */
const lockTries: LockTries = { tries: 60, pauseMs: 2_000 };
/**
 * How long a concurrent index build waits for each transaction that is older than it. Nothing waits for the build
 * meanwhile. As long as the tries of the others take together.
 */
const concurrentTimeoutMs = 120_000;

interface ApplyOptions {
  /** Opened with `maxConnections: 1`, `wholeTables` and a list of migrations that contains those that are pending. */
  database: Database;
  /** Those that are not applied yet, oldest first. */
  pending: readonly NamedMigration[];
  log: Log;
  /** How often a lock is tried for, the pause between two tries, and the limit of an index build; for tests. */
  locks?: LockTries & { concurrentTimeoutMs: number };
}

/**
 * Applies migrations after the first one by MikroORM's migrator, each in a transaction of its own. A migration that does
 * not get a lock at once gives up, lets the waiting statements run, and is tried again. So processes of this release and
 * of the one before can work while it runs. One that is not transactional builds an index concurrently, and is tried
 * once.
 *
 * @returns the names of the migrations.
 * @throws StartError when a table stays locked, or when an old transaction keeps an index from being built.
 */
export async function applyLater(options: ApplyOptions): Promise<string[]> {
  const { database, pending, log } = options;
  const limits = options.locks ?? { ...lockTries, concurrentTimeoutMs };
  const driver = database.orm.em.getDriver();
  for (const each of pending) {
    const concurrent = !isTransactional(database, each);
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

/** Whether a migration runs in a transaction. One that builds an index concurrently cannot. */
export const isTransactional = (database: Database, migration: NamedMigration): boolean =>
  instanceOf(database, migration).isTransactional();

async function withRetries(
  migration: NamedMigration,
  limits: LockTries & { text: (name: string) => string },
  { database, log }: ApplyOptions,
): Promise<void> {
  const onLocked = () =>
    log.info({ migration: migration.name, againInMs: limits.pauseMs }, 'table locked, retrying the migration');
  try {
    await whileLocked(() => run(database, migration), limits, onLocked);
  } catch (error) {
    throw isLockTimeout(error) ? new StartError(limits.text(migration.name), { cause: error }) : error;
  }
}

const endTransactions = `${endLongTransactions}, then run \`npm run migrate\` again.`;

const lockedOut = (name: string) =>
  `The migration ${name} got no lock on a table, which another transaction holds. It has changed nothing. ${endTransactions}`;

const buildHeldUp = (name: string) =>
  `The migration ${name} builds an index, and a transaction that is older did not end in time. The unfinished index is ` +
  `not used, and the next try replaces it. ${endTransactions}`;

async function run(database: Database, migration: NamedMigration): Promise<void> {
  const { em, config, migrator } = database.orm;
  const instance = instanceOf(database, migration);
  if (instance.isTransactional()) {
    await migrator.up({ migrations: [migration.name] });
    return;
  }
  // `up` opens a transaction in any case (`allOrNothing`), and an index is not built concurrently inside one.
  await new MigrationRunner(em.getDriver(), config.get('migrations'), config).run(instance, 'up');
  await migrator.logMigration(migration.name);
}

const instanceOf = ({ orm }: Database, { class: Class }: NamedMigration): Migration =>
  new Class(orm.em.getDriver(), orm.config);
