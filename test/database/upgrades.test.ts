import { expect, test } from 'vitest';
import { applicationName } from '../../src/database/application-name.ts';
import { oldestUpgrade, squashed } from '../../src/database/applied-migrations.ts';
import { applyLater } from '../../src/database/apply-later.ts';
import { connectDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { checkSchema, type Release, thisRelease } from '../../src/database/schema-check.ts';
import { createLog } from '../../src/shared/log.ts';
import { version } from '../../src/shared/version.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useDatabasePerTest } from '../support/use-database.ts';
import { change, laterRelease } from './later-release.ts';

const log = createLog('silent');
const nothing = { migrations: [], functions: [] };
const colour = change('Migration20990101000000_expand_colour', ['alter table accounts add column colour text']);
const next = laterRelease('9.1.0', [colour]);

const database = useDatabasePerTest();

const columns = async () =>
  (await rows(database, `select attname from pg_attribute where attrelid = 'accounts'::regclass and attnum > 0`)).map(
    ({ attname }) => attname,
  );

const recorded = (name: string) => database.pool.query('insert into mikro_orm_migrations (name) values ($1)', [name]);

test('MikroORM records each migration, and its name says which releases can run with it', async () => {
  expect(await migrate(database, log, next)).toEqual({ migrations: [colour.name], functions: [] });
  expect(await rows(database, 'select name from mikro_orm_migrations order by id')).toEqual(
    [...thisRelease.migrations, colour].map(({ name }) => ({ name })),
  );
});

test.each([
  ['from before the second list of migrations', 'drop table applied_migrations', squashed],
  ['with half of that list', `delete from applied_migrations where name > 'Migration20261125'`, squashed.slice(-5)],
])('a database %s is refused with what to do', async (_, change, [first, ...more]) => {
  await database.pool.query(change);
  const words = new RegExp(
    `has an older schema than this version can upgrade: it lacks ${first} and ${more.length} more\\. Nothing was changed\\. ` +
      `Upgrade it with commit ${oldestUpgrade} first`,
  );
  await expect(checkSchema(database)).rejects.toThrow(words);
  await expect(migrate(database, log)).rejects.toThrow(words);
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
  await migrate(database, log, next);
  await recorded('Migration20990102000000_contract_9_0_0_removed');
  const tried = way === 'start' ? checkSchema(database) : migrate(database, log);
  await expect(tried).rejects.toThrow(
    new RegExp(
      `is newer than this program: it has the migration ${colour.name} and 1 more, which releases before 9\\.0\\.0 cannot ` +
        `run with; this one is ${version}\\. Nothing was changed\\. Start release 9\\.0\\.0 or a later one\\.`,
    ),
  );
  await checkSchema(database, { ...thisRelease, version: '9.0.0' });
});

test('a migration whose name does not say which releases can run with it is refused', async () => {
  await recorded('Migration20990102000000_of_another_program');
  await expect(checkSchema(database)).rejects.toThrow(
    /is newer than this program, which does not know its migration Migration20990102000000_of_another_program/,
  );
});

test('a release runs on the schema of a later one that has dropped the second list of migrations', async () => {
  await migrate(database, log, next);
  await database.pool.query('drop table applied_migrations');
  await checkSchema(database);
  expect(await migrate(database, log)).toEqual(nothing);
});

const contract = change('Migration20990201000000_contract_9_1_0_stopped', ['drop table stopped_accounts']);
const beyond = (): Release => laterRelease('9.2.0', [colour, contract]);

test('an upgrade that skips a release is refused', async () => {
  const { refuseSkippedRelease } = await import('../../src/database/release-order.ts');
  const history = { '0.2.0': {}, '9.1.0': { [`${colour.name}.ts`]: '' } };
  const applied = [...thisRelease.migrations.map(({ name }) => name)];
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
  // This test's own connection is one of an older release. An idle one would be closed after some seconds.
  const own = await database.pool.connect();
  try {
    await expect(migrate(database, log, beyond())).rejects.toThrow(
      new RegExp(
        `^A process of release ${version} is connected.*Release 9\\.2\\.0 removes what releases before 9\\.1\\.0 use`,
      ),
    );
  } finally {
    own.release();
  }
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
});

test('a table that stays locked is an error that says what to do, and nothing is recorded', async () => {
  const blocker = await database.readers.connect();
  await blocker.query('begin');
  await blocker.query('select 1 from accounts');
  const own = await connectDatabase({
    url: database.url,
    log,
    maxConnections: 1,
    wholeTables: true,
    migrations: next.migrations,
  });
  const locks = { tries: 2, pauseMs: 1, concurrentTimeoutMs: 1 };
  await expect(applyLater({ database: own, pending: [colour], log, locks })).rejects.toThrow(
    /Migration20990101000000_expand_colour got no lock.*It has changed nothing.*npm run migrate/,
  );
  await own.close();
  await blocker.query('rollback');
  blocker.release();
  await checkSchema(database);
  expect(await columns()).not.toContain('colour');
});

test('of two migrations, the first one stays when the second one fails', async () => {
  const broken = change('Migration20990102000000_expand_broken', ['alter table accounts add column colour text']);
  await expect(migrate(database, log, laterRelease('9.1.0', [colour, broken]))).rejects.toThrow(/colour/);
  expect(await migrate(database, log, next)).toEqual(nothing);
});
