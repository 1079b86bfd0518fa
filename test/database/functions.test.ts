import { expect, test } from 'vitest';
import {
  applyFunctions,
  bodyOf,
  functionChanges,
  functionFiles,
  type SqlFunction,
} from '../../src/database/functions.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { checkSchema } from '../../src/database/schema-check.ts';
import { createLog } from '../../src/shared/log.ts';
import { rows } from '../support/stored.ts';
import { useDatabasePerTest } from '../support/use-database.ts';

const log = createLog('silent');
const files = functionFiles();
const nothing = { migrations: [], functions: [] };

const database = useDatabasePerTest();

const stored = () =>
  rows(
    database,
    `select p.proname as name, p.prosrc as body from pg_proc p where p.pronamespace = 'public'::regnamespace order by p.proname`,
  );
/** The definition of each function as PostgreSQL prints it, with parameters, result and settings. */
const definitions = (schema: string) =>
  rows(
    database,
    `select p.proname as name, replace(pg_get_functiondef(p.oid), $1 || '.', '') as definition
     from pg_proc p where p.pronamespace = $1::regnamespace order by p.proname`,
    [schema],
  );
const apply = (changed: readonly SqlFunction[]) =>
  database.transaction(async (sql) => applyFunctions(sql, await functionChanges(sql, { files: changed })));

test('each function of the database has the text of its file, and each has exactly one file', async () => {
  expect(files.length).toBeGreaterThan(10);
  expect(await stored()).toEqual(files.map((file) => ({ name: file.name, body: bodyOf(file) })));
  await database.pool.query('create schema drift');
  await database.transaction(async (sql) => {
    const run = (text: string) => sql.query({ name: '', text }, []);
    await run('set local check_function_bodies = off');
    await run('set local search_path = drift');
    for (const { text } of files) await run(text);
  });
  expect(await definitions('drift')).toEqual(await definitions('public'));
});

test('each file defines one function of the same name, and its first line says what the function is for', () => {
  for (const { name, text } of files) {
    expect(text.match(/create or replace function (\w+)\(/g), name).toEqual([`create or replace function ${name}(`]);
    expect(text, name).toMatch(/^-- \S/);
    expect(text, name).toMatch(/\$\$;\n$/);
  }
});

test.each([
  [
    'changed by hand',
    `create or replace function is_retired_key(key_id bytea) returns boolean language sql as 'select false'`,
  ],
  ['left by an earlier version', `comment on function is_retired_key is 'an older text'`],
  [
    'overloaded with other parameters',
    `create function is_retired_key(text) returns boolean language sql as 'select false'`,
  ],
  ['missing', 'drop function is_retired_key'],
])('a function that is %s stops the start, and the next migration corrects it', async (_, change) => {
  await checkSchema(database);
  await database.pool.query(change);
  await expect(checkSchema(database)).rejects.toThrow(
    /other functions than this program: is_retired_key\. Run `npm run migrate`/,
  );
  expect(await migrateOnce(database.url, log)).toEqual({ migrations: [], functions: ['is_retired_key'] });
  expect(await stored()).toEqual(files.map((file) => ({ name: file.name, body: bodyOf(file) })));
  await checkSchema(database);
  expect(await migrateOnce(database.url, log)).toEqual(nothing);
});

test('a function whose result, parameters or parameter names change is replaced, and one without a file stays', async () => {
  const versions = [
    'create or replace function later(a integer) returns integer language sql as $$ select 1 $$;\n',
    'create or replace function later(a integer) returns text language sql as $$ select 2::text $$;\n',
    'create or replace function later(b integer) returns text language sql as $$ select 3::text $$;\n',
    'create or replace function later(b integer, c text) returns text language sql as $$ select 4::text $$;\n',
  ];
  for (const [index, text] of versions.entries()) {
    const later = { name: 'later', text: `-- for a test\n${text}` };
    expect(await apply([...files, later])).toEqual(['later']);
    expect(await apply([...files, later])).toEqual([]);
    const found = (await stored()).filter(({ name }) => name === 'later');
    expect(found).toEqual([{ name: 'later', body: ` select ${index + 1}${index === 0 ? '' : '::text'} ` }]);
  }
  // It may be a function of a later release, whose processes use it.
  expect(await apply(files)).toEqual([]);
  expect(await migrateOnce(database.url, log)).toEqual(nothing);
  expect((await stored()).some(({ name }) => name === 'later')).toBe(true);
});

test("functions of the operator's own stay", async () => {
  await database.pool.query(`create function own() returns integer language sql as 'select 1'`);
  await database.pool.query(`comment on function own is 'ours'`);
  expect(await migrateOnce(database.url, log)).toEqual(nothing);
  expect(await stored()).toContainEqual({ name: 'own', body: 'select 1' });
});

test('a file with an error changes nothing', async () => {
  const before = await definitions('public');
  const broken = { name: 'lock_events', text: '-- broken\ncreate or replace function lock_events() nonsense $$ $$;\n' };
  await expect(apply(files.map((file) => (file.name === broken.name ? broken : file)))).rejects.toThrow(/syntax error/);
  expect(await definitions('public')).toEqual(before);
});
