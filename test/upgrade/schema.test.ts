import { expect, test } from 'vitest';
import { functionFiles } from '../../src/database/functions.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { firstMigration, migrations } from '../../src/database/migrations.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { queryOnce } from '../support/one-connection.ts';
import { schemaDump } from './dump.ts';
import { useReleaseBefore } from './load-release-before.ts';

const log = createLog('silent');
const laterMigrations = migrations.filter((each) => each !== firstMigration).map(({ name }) => name);
const nothing = { migrations: [], functions: [] };
const before = useReleaseBefore();

const ledger = (url: string) => queryOnce(url, 'select id, name from mikro_orm_migrations order by id');
const secondList = (url: string) =>
  queryOnce(url, 'select name, kind, applied_by, oldest_release from applied_migrations order by name');

/** Fails as a process of the release before would at its start. */
async function startBefore(url: string): Promise<void> {
  const database = await before.connectDatabase({ url, log });
  try {
    await before.checkSchema(database);
  } finally {
    await database.close();
  }
}

test('a database of the release before counts as migrated, and its schema equals that of a new one', async () => {
  const [old, created] = [await freshDatabase(), await freshDatabase()];
  const { migrations: applied } = await before.migrateOnce(old, log);
  expect(applied.toSorted()).toEqual([firstMigration.name, 'processes'].toSorted());
  expect((await migrateOnce(old, log)).migrations).toEqual(laterMigrations);
  expect(await migrateOnce(old, log)).toEqual(nothing);
  expect(await migrateOnce(created, log)).toEqual({
    migrations: [firstMigration.name, ...laterMigrations],
    functions: functionFiles().map(({ name }) => name),
  });
  const dump = await schemaDump(created);
  // A line for each table, column, constraint, index, trigger, sequence and function.
  expect(dump.length).toBeGreaterThan(500);
  expect(await schemaDump(old)).toEqual(dump);
  expect(await ledger(old)).toEqual(await ledger(created));
  expect(await secondList(old)).toEqual(await secondList(created));
});

test('the release before starts on a new database of this one, and its migrate changes nothing there', async () => {
  const url = await migratedDatabase();
  const dump = await schemaDump(url);
  await startBefore(url);
  expect(await before.migrateOnce(url, log)).toEqual(nothing);
  expect(await schemaDump(url)).toEqual(dump);
  expect(await migrateOnce(url, log)).toEqual(nothing);
});
