import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { applicationName } from '../../src/database/application-name.ts';
import { applyLater } from '../../src/database/apply-later.ts';
import { connectDatabase, type Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { checkSchema, type Release, thisRelease } from '../../src/database/schema-check.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { version } from '../../src/shared/version.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { change, laterRelease } from './later-release.ts';

const log = createLog('silent');
const nothing = { migrations: [], functions: [] };
const colour = change('Migration20990101000000_colour', ['alter table accounts add column colour text']);
const next = laterRelease('9.1.0', [colour]);

let url: string;
let database: Database;
beforeEach(async () => {
  url = await migratedDatabase();
  database = await openDatabase({ url, log });
});
afterEach(() => database.close());

const columns = async () =>
  (await rows(database, `select attname from pg_attribute where attrelid = 'accounts'::regclass and attnum > 0`)).map(
    ({ attname }) => attname,
  );

test('the table of the first migration never names a later one, as release 0.2.0 expects', async () => {
  expect(await migrate(database, log, next)).toEqual({ migrations: [colour.name], functions: [] });
  expect(await rows(database, 'select name from mikro_orm_migrations')).toEqual([
    { name: 'Migration20261123000000_schema' },
  ]);
  const [last] = await rows(
    database,
    'select name, kind, applied_by, oldest_release from applied_migrations order by name desc limit 1',
  );
  expect(last).toEqual({ name: colour.name, kind: 'expand', applied_by: '9.1.0', oldest_release: '0.2.0' });
});

test('a database of release 0.2.0 is taken over', async () => {
  const old = await connectDatabase({ url: await freshDatabase(), log });
  onTestFinished(() => old.close());
  await migrate(old, log, { version: '0.2.0', later: [] });
  await expect(checkSchema(old)).rejects.toThrow(/older than this program.*npm run migrate/);
  const { migrations } = await migrate(old, log);
  expect(migrations).toEqual(thisRelease.later.map(({ name }) => name));
  await checkSchema(old);
});

test('a release starts on a newer schema that declares it, and its migrate changes nothing there', async () => {
  await migrate(database, log, next);
  // As the later release has it: another text of a function, and one more.
  await database.pool.query(
    `create or replace function is_retired_key(key_id bytea) returns boolean language sql as 'select false'`,
  );
  await database.pool.query(`create function added() returns integer language sql as 'select 1'`);
  await database.pool.query(`comment on function added is 'new (function file added.sql, SHA-256 00)'`);
  const seen = () => rows(database, 'select proname, prosrc from pg_proc where pronamespace = 2200::oid order by oid');
  const before = await seen();
  await checkSchema(database);
  expect(await migrate(database, log)).toEqual(nothing);
  expect(await seen()).toEqual(before);
  expect(await columns()).toContain('colour');
});

test('a function that a newer schema has not is an error', async () => {
  await migrate(database, log, next);
  await database.pool.query('drop function is_retired_key cascade');
  await expect(checkSchema(database)).rejects.toThrow(/other functions than this program: is_retired_key/);
});

test.each(['start', 'migrate'])('%s: a release refuses a schema that needs a later one', async (way) => {
  const removed = change('Migration20990102000000_removed', ['alter table accounts add column x text'], {
    oldestRelease: '9.0.0',
  });
  await migrate(database, log, laterRelease('9.1.0', [colour, removed]));
  const tried = way === 'start' ? checkSchema(database) : migrate(database, log);
  await expect(tried).rejects.toThrow(
    new RegExp(
      `is newer than this program: it has the migration ${colour.name} and 1 more, which releases before 9\\.0\\.0 cannot ` +
        `run with; this one is ${version}\\. Nothing was changed\\. Start release 9\\.0\\.0 or a later one\\.`,
    ),
  );
  await checkSchema(database, { version: '9.0.0', later: thisRelease.later });
});

const contract = change('Migration20990201000000_contract', ['drop table stopped_accounts'], {
  kind: 'contract',
  oldestRelease: '9.1.0',
});
const beyond = (): Release => laterRelease('9.2.0', [colour, contract]);

test('an upgrade that skips a release is refused', async () => {
  const { refuseSkippedRelease } = await import('../../src/database/release-order.ts');
  const history = { '0.2.0': {}, '9.1.0': { [`${colour.name}.ts`]: '' } };
  const applied = [...thisRelease.later.map(({ name }) => name)];
  const tried = { applied, pending: [colour, contract], release: beyond() };
  await expect(refuseSkippedRelease(database, tried, history)).rejects.toThrow(
    /^Release 9\.2\.0 cannot upgrade this database at once.*Upgrade to release 9\.1\.0 first/,
  );
  await expect(
    refuseSkippedRelease(database, { ...tried, applied: [...applied, colour.name], pending: [contract] }, history),
  ).rejects.toThrow(/A process of release/);
});

test('nothing is removed while a process of an older release is connected', async () => {
  await migrate(database, log, next);
  // This test's own connection is one of an older release.
  await database.pool.query('select 1');
  await expect(migrate(database, log, beyond())).rejects.toThrow(
    new RegExp(
      `^A process of release ${version} is connected.*Release 9\\.2\\.0 removes what releases before 9\\.1\\.0 use`,
    ),
  );
  expect(await rows(database, `select to_regclass('stopped_accounts') is not null as present`)).toEqual([
    { present: true },
  ]);
  const [process] = await rows(database, 'select application_name from pg_stat_activity where pid = pg_backend_pid()');
  expect(process?.application_name).toBe(applicationName());
});

test('a table that is locked delays other statements only for a moment, and the migration waits for it', async () => {
  const blocker = await database.readers.connect();
  await blocker.query('begin');
  await blocker.query('select 1 from accounts');
  const migrating = migrate(database, log, next);
  migrating.catch(() => undefined);
  await until('the migration waits for the lock', async () => {
    const { rowCount } = await database.readers.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'colour'`,
    );
    return rowCount === 1;
  });
  // Comes after the migration, so it waits until that gives up: it would reach the pool's limit of 5 s otherwise.
  await database.pool.query('select 1 from accounts');
  await blocker.query('rollback');
  blocker.release();
  expect(await migrating).toEqual({ migrations: [colour.name], functions: [] });
}, 30_000);

test('a table that stays locked is an error that says what to do, and nothing is recorded', async () => {
  const blocker = await database.readers.connect();
  await blocker.query('begin');
  await blocker.query('select 1 from accounts');
  const own = await connectDatabase({ url, log, maxConnections: 1, wholeTables: true });
  const locks = { tries: 2, pauseMs: 1, concurrentTimeoutMs: 1 };
  await expect(applyLater({ database: own, pending: [colour], version, log, locks })).rejects.toThrow(
    /Migration20990101000000_colour got no lock.*It has changed nothing.*npm run migrate/,
  );
  await own.close();
  await blocker.query('rollback');
  blocker.release();
  await checkSchema(database);
  expect(await columns()).not.toContain('colour');
}, 30_000);

test('an index is built concurrently, outside of a transaction', async () => {
  const index = change(
    'Migration20990103000000_index',
    ['create index concurrently if not exists destinations_by_test on destinations (id)'],
    { outsideTransaction: true },
  );
  expect(await migrate(database, log, laterRelease('9.1.0', [index]))).toMatchObject({ migrations: [index.name] });
  expect(await rows(database, `select to_regclass('destinations_by_test') is not null as present`)).toEqual([
    { present: true },
  ]);
});

test('an index build that an old transaction holds up is an error that says what to do, and can be repeated', async () => {
  const index = change(
    'Migration20990103000000_index',
    [
      'drop index concurrently if exists destinations_by_test',
      'create index concurrently destinations_by_test on destinations (id)',
    ],
    { outsideTransaction: true },
  );
  const old = await database.readers.connect();
  await old.query('begin isolation level repeatable read');
  await old.query('select 1 from accounts');
  const own = await connectDatabase({ url, log, maxConnections: 1, wholeTables: true });
  const apply = (concurrentTimeoutMs: number) =>
    applyLater({ database: own, pending: [index], version, log, locks: { tries: 9, pauseMs: 1, concurrentTimeoutMs } });
  await expect(apply(100)).rejects.toThrow(/builds an index.*older did not end in time.*npm run migrate/);
  await checkSchema(database);
  await old.query('rollback');
  old.release();
  expect(await apply(60_000)).toEqual([index.name]);
  expect(
    await rows(database, `select indisvalid from pg_index where indexrelid = 'destinations_by_test'::regclass`),
  ).toEqual([{ indisvalid: true }]);
  await own.close();
}, 30_000);

test('of two migrations, the first one stays when the second one fails', async () => {
  const broken = change('Migration20990102000000_broken', ['alter table accounts add column colour text']);
  await expect(migrate(database, log, laterRelease('9.1.0', [colour, broken]))).rejects.toThrow(/colour/);
  expect(await migrate(database, log, next)).toEqual(nothing);
});
