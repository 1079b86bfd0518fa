import { expect, onTestFinished, test } from 'vitest';
import { explainDatabaseError } from '../../src/database/explain-error.ts';
import { functionFiles } from '../../src/database/functions.ts';
import { migrate, migrateOnce } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations.ts';
import { daysAhead, partitionName } from '../../src/database/partitions.ts';
import { thisRelease } from '../../src/database/schema-check.ts';
import { dayMs } from '../../src/database/uuid-time.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase } from '../support/database.ts';
import { openClient } from '../support/one-connection.ts';
import { log as collectedLog, collectLines } from '../support/runtime.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useDatabasePerTest } from '../support/use-database.ts';

const log = createLog('silent');
const names = migrations.map(({ name }) => name);
const functions = functionFiles().map(({ name }) => name);

const database = useDatabasePerTest(freshDatabase);

const tables = async () =>
  (
    await rows(
      database,
      `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
       order by relname`,
    )
  ).map((row) => row.name as string);
const ours = [
  ...['accounts', 'delivery_attempts', 'event_commands', 'event_dedup', 'event_payloads', 'event_queue', 'events'],
  ...['gateway_settings', 'rejection_counts'],
];

test('migrates an empty database, with partitions for the coming days, and does nothing the second time', async () => {
  expect(await migrate(database, log)).toEqual({ migrations: names, functions });
  const made = await tables();
  expect(made).toEqual(expect.arrayContaining(ours));
  expect(made.filter((name) => /^events_\d{8}$/.test(name)).length).toBeGreaterThanOrEqual(daysAhead + 2);
  expect(await migrate(database, log)).toEqual({ migrations: [], functions: [] });
  expect(await migrateOnce(database.url, log)).toEqual({ migrations: [], functions: [] });
  expect(await tables()).toEqual(made);
});

test('of several concurrent migrations, one works and the others find nothing to do', async () => {
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrateOnce(database.url, log)));
  expect(applied.flatMap(({ migrations }) => migrations)).toEqual(names);
  expect(applied.flatMap(({ functions }) => functions)).toEqual(functions);
  expect(await tables()).toEqual(expect.arrayContaining(ours));
});

test('a lost connection ends the migration with an error', async () => {
  // An uncommitted table of the same name blocks the first migration.
  const client = await database.readers.connect();
  await client.query('begin');
  await client.query('create table accounts (id integer)');
  const migrating = migrateOnce(database.url, log);
  migrating.catch(() => undefined);
  await until('it was broken off', async () => {
    const { rowCount } = await database.readers.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query ~ 'create table accounts'`,
    );
    return rowCount === 1;
  });
  await client.query('rollback');
  client.release();
  await expect(migrating).rejects.toThrow(/terminat|connection/i);
  expect(await migrateOnce(database.url, log)).toEqual({ migrations: names, functions });
});

test('a database that does not exist is an error and does not hang', async () => {
  const gone = new URL(database.url);
  gone.pathname = '/no_such_database';
  await expect(migrateOnce(gone.href, log)).rejects.toThrow(/no_such_database/);
});

/** A migrated database without the partition of `events` for a day, while a session locks `events` as ANALYZE does. */
async function lockedWithout(day: number) {
  await migrate(database, log);
  const partition = partitionName('events', new Date(Date.now() + day * dayMs));
  await database.pool.query(`drop table ${partition}`);
  const other = await openClient(database.url);
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('lock table events in share update exclusive mode');
  return {
    present: async () => (await tables()).includes(partition),
    unlock: () => other.query('rollback'),
  };
}

test('partitions are created once a transaction has released its lock of the table', async () => {
  const { present, unlock } = await lockedWithout(daysAhead);
  const retries = collectLines('table locked, retrying to create partitions');
  const migrating = migrate(database, collectedLog, thisRelease, { tries: 100, pauseMs: 10 });
  migrating.catch(() => undefined);
  await until('a try has failed', () => retries.length > 0);
  await unlock();
  expect(await migrating).toEqual({ migrations: [], functions: [] });
  expect(await present()).toBe(true);
});

test('partitions of later days that a locked table holds up are left to workers', async () => {
  const { present } = await lockedWithout(2);
  const warnings = collectLines('partitions of later days not created, a table stays locked; workers create them');
  expect(await migrate(database, collectedLog, thisRelease, { tries: 2, pauseMs: 1 })).toEqual({
    migrations: [],
    functions: [],
  });
  expect(warnings).toHaveLength(1);
  expect(await present()).toBe(false);
});

test('without the partition of tomorrow, a table that stays locked is an error that says what to do', async () => {
  await lockedWithout(1);
  const migrating = migrate(database, log, thisRelease, { tries: 1, pauseMs: 1 });
  const error = await migrating.catch((failure: unknown) => failure);
  expect(explainDatabaseError(database.url, error)).toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(
      /has a table that another transaction keeps locked \(canceling statement due to lock timeout\)\. End long transactions \(.*\), then run the command again\./,
    ),
  });
});
