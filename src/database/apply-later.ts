import type { Migration } from '@mikro-orm/migrations';
import { IndexesOfEvents } from '../../migrations/indexes-of-events.ts';
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
 * How long `create index concurrently` and `drop index concurrently` wait for each transaction that is older. No statement
 * waits for them meanwhile. As long as the tries of the others take together.
 */
const concurrentTimeoutMs = 120_000;
const isConcurrent = /^\s*(create|drop)\s+(unique\s+)?index\s+concurrently\b/i;

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
 * of the one before can work while it runs. One that is not transactional builds indexes: each of its statements is
 * repeated by itself, and `create index concurrently` is tried once.
 *
 * @returns the names of the migrations.
 * @throws StartError when a table stays locked, or when an old transaction keeps an index from being built.
 */
export async function applyLater(options: ApplyOptions): Promise<string[]> {
  const { database, pending, log, locks = { ...lockTries, concurrentTimeoutMs } } = options;
  const { em, migrator } = database.orm;
  const driver = em.getDriver();
  await driver.execute(`set lock_timeout = ${lockTimeoutMs}`);
  for (const each of pending) {
    const { name } = each;
    const onLocked = () =>
      log.info({ migration: name, againInMs: locks.pauseMs }, 'table locked, retrying the migration');
    const transactional = isTransactional(database, each);
    if (!transactional) log.info({ migration: name }, 'building an index, after the transactions that run now');
    try {
      if (transactional) await whileLocked(() => migrator.up({ migrations: [name] }), locks, onLocked);
      else await buildIndexes(database, each, locks, onLocked);
    } catch (error) {
      const text = transactional ? lockedOut(name) : buildHeldUp(name);
      throw isLockTimeout(error) ? new StartError(text, { cause: error }) : error;
    }
  }
  await driver.execute('set lock_timeout = 0');
  return pending.map(({ name }) => name);
}

/** Whether a migration runs in a transaction. One that builds an index concurrently cannot. */
export const isTransactional = (database: Database, migration: NamedMigration): boolean =>
  instanceOf(database, migration).isTransactional();

const endTransactions = `${endLongTransactions}, then run \`npm run migrate\` again.`;

const lockedOut = (name: string) =>
  `The migration ${name} got no lock on a table, which another transaction holds. It has changed nothing. ${endTransactions}`;

const buildHeldUp = (name: string) =>
  `The migration ${name} builds an index, and a transaction that is older did not end in time. The unfinished index is ` +
  `not used, and the next try replaces it. ${endTransactions}`;

/**
 * Runs the statements of a migration one by one: an index is not built concurrently inside a transaction, which the
 * migrator opens in any case (`allOrNothing`).
 */
async function buildIndexes(
  database: Database,
  migration: NamedMigration,
  { concurrentTimeoutMs: longMs, ...tries }: LockTries & { concurrentTimeoutMs: number },
  onLocked: () => void,
): Promise<void> {
  const { em, migrator } = database.orm;
  const driver = em.getDriver();
  let again: boolean;
  do {
    const instance = instanceOf(database, migration);
    await instance.up();
    const statements = instance.getQueries();
    for (const statement of statements) {
      if (isConcurrent.test(String(statement))) {
        await driver.execute(`set lock_timeout = ${longMs}`);
        await driver.execute(statement);
        await driver.execute(`set lock_timeout = ${lockTimeoutMs}`);
      } else await whileLocked(() => driver.execute(statement), tries, onLocked);
    }
    // A partition that was attached before the index was made on the table has no part of it yet.
    again = instance instanceof IndexesOfEvents && statements.some((statement) => isConcurrent.test(String(statement)));
  } while (again);
  await migrator.logMigration(migration.name);
}

const instanceOf = ({ orm }: Database, { class: Class }: NamedMigration): Migration =>
  new Class(orm.em.getDriver(), orm.config);
