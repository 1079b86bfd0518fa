import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { lte, rsort } from 'semver';
import { describe, expect, test } from 'vitest';
import { changeOf, firstMigration, migrations, type NamedMigration } from '../../src/database/migrations.ts';
import { released } from '../../src/database/released.ts';
import { useDatabase } from '../support/use-database.ts';
import { change } from './later-release.ts';

const folder = new URL('../../migrations/', import.meta.url);
const versions = rsort(Object.keys(released));
const [latest = ''] = versions;
const laterMigrations = migrations.filter((migration) => migration !== firstMigration);

/** What an expanding migration may not have, with the reason. docs/upgrades.md has the rules. */
const forbidden: [RegExp, string][] = [
  [
    /\bdrop\s+(?!index\s+concurrently)(?!constraint\s+(\w+),\s+add\s+constraint\s+\1\b)/i,
    'removes what the release before uses: that is a contraction',
  ],
  // No statement names an index.
  [/(?<!\balter\s+index\s+\w+\s+)\brename\b/i, 'renames what the release before uses'],
  [/\b(set\s+not\s+null|alter\s+column\s+\w+\s+(set\s+data\s+)?type)\b/i, 'scans or rewrites the table'],
  [
    /\b(truncate|delete\s+from|update\s+\w+\s+set|insert\s+into\s+\w+[^;]*select)\b/i,
    'moves data, which a worker does in batches',
  ],
  [/\badd\s+column\b(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i, 'adds a column that the release before does not fill'],
  [
    /\badd\s+column\b[^,;]*(\bgenerated\b|\b\w*serial\b|\bdefault\s+(gen_random_uuid|uuidv7|random|clock_timestamp|nextval)\b)/i,
    'rewrites the table',
  ],
  [/\badd\s+(constraint\b[^;]*\b)?(check|foreign\s+key)\b(?![^;]*\bnot\s+valid\b)/i, 'scans the table under a lock'],
  [/\bcreate\s+(or\s+replace\s+)?(function|trigger)\b/i, 'functions are files, and triggers run in old processes too'],
];

function faultsOf(statement: string): string[] {
  const text = statement.replace(/--[^\n]*/g, '');
  // What a migration does to a table that it creates itself delays nobody.
  const created = [...text.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)/gi)].map(
    ([, name]) => name ?? '',
  );
  return text.split(';').flatMap((one) => {
    if (/^\s*create\s+table\b/i.test(one)) return [];
    const onTable = /^\s*create\s+trigger\b.*?\bon\s+(\w+)/is.exec(one)?.[1];
    if (onTable !== undefined && created.includes(onTable)) return [];
    const onIndex = /^\s*create\s+(?:unique\s+)?index\b(?!\s+concurrently)[^(]*\bon\s+(?:only\s+)?(\w+)/i.exec(
      one,
    )?.[1];
    if (onIndex !== undefined && !created.includes(onIndex) && !/\bon\s+only\b/i.test(one))
      return ['an index of an existing table is built concurrently'];
    return forbidden.filter(([pattern]) => pattern.test(one)).map(([, why]) => why);
  });
}

/** Existing tables that a statement locks against reads or writes. */
const lockedBy = (statements: string): string[] => [
  ...new Set([...statements.matchAll(/\balter\s+table\s+(?:only\s+)?(\w+)/gi)].map(([, name]) => name ?? '')),
];

/** Expansions that must change two tables at once: the table that webhooks write comes last, so that they wait once. */
const together: Record<string, string[]> = {
  Migration20261126000500_expand_counts_of_requests: ['event_stats', 'event_stat_deltas'],
  Migration20261127004000_expand_failed_attempts: ['event_stats', 'event_stat_deltas'],
};

const database = useDatabase();

async function statementsOf(migration: NamedMigration): Promise<string[]> {
  const instance = new migration.class(database.orm.em.getDriver(), database.orm.config);
  await instance.up();
  return instance.getQueries().map(String);
}

const hashOf = (file: string) =>
  createHash('sha256')
    .update(readFileSync(new URL(file, folder)))
    .digest('hex');
const isFunction = (file: string) => file.startsWith('functions/');

test('files of a release have not changed since, except functions', () => {
  for (const [version, files] of Object.entries(released))
    for (const [file, sha256] of Object.entries(files).filter(([file]) => !isFunction(file)))
      expect(hashOf(file), `migrations/${file} belongs to release ${version}: databases have it, so it must stay`).toBe(
        sha256,
      );
});

/** The functions that differ from those of the last release. Older releases come first. */
function changedFunctions(releases: typeof released, now: Record<string, string>): string[] {
  const last: Record<string, string> = Object.assign({}, ...Object.values(releases));
  return Object.keys(now).filter((file) => last[file] !== undefined && last[file] !== now[file]);
}

test('a function changes together with a migration, by which the release before knows that it is of a later one', () => {
  const files = Object.values(released).flatMap((files) => Object.keys(files));
  const added = migrations.filter(({ name }) => !files.includes(`${name}.ts`));
  const now = readdirSync(new URL('functions/', folder)).map((file) => [
    `functions/${file}`,
    hashOf(`functions/${file}`),
  ]);
  const changed = changedFunctions(released, Object.fromEntries(now));
  if (changed.length > 0) expect(added, `${changed} changed: add a migration, if need be an empty one`).not.toEqual([]);
});

test('functions are compared with the last release that has changed them', () => {
  const releases = { '1.0.0': { 'functions/a.sql': '1', 'functions/b.sql': '1' }, '1.1.0': { 'functions/a.sql': '2' } };
  const now = { 'functions/a.sql': '1', 'functions/b.sql': '1', 'functions/new.sql': '1' };
  expect(changedFunctions(releases, now)).toEqual(['functions/a.sql']);
});

test('each migration file is in the list, in the order of the names', () => {
  const files = readdirSync(folder).filter((file) => file.startsWith('Migration'));
  const names = migrations.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  expect(names.map((name) => `${name}.ts`)).toEqual(files.sort());
});

describe.each(laterMigrations)('$name', (migration) => {
  const change = changeOf(migration.name);

  test('says in its name what it does, and the release before can run with it', () => {
    expect(change).not.toBeNull();
    // The release before must run on the new schema, at the same time as the new release.
    if (
      change?.kind === 'contract' &&
      versions.every((version) => !(`${migration.name}.ts` in (released[version] ?? {})))
    )
      expect(
        lte(change.oldestRelease, latest),
        `release ${latest} could not run at the same time as the next one`,
      ).toBe(true);
  });

  test('an expansion adds, and locks no table for long', async () => {
    if (change?.kind === 'expand')
      for (const text of await statementsOf(migration)) expect(faultsOf(text), text).toEqual([]);
  });

  test('an expansion locks one table at a time', async () => {
    if (change?.kind !== 'expand') return;
    const locked = lockedBy((await statementsOf(migration)).join(';'));
    if (locked.length > 1) expect(locked).toEqual(together[migration.name]);
  });
});

test.each([
  ['Migration20270131120000_expand_colour', { kind: 'expand' }],
  ['Migration20270201120000_contract_0_4_0_colour', { kind: 'contract', oldestRelease: '0.4.0' }],
  ['Migration20270201120000_contract_10_20_30_old_names', { kind: 'contract', oldestRelease: '10.20.30' }],
  ['Migration20270201120000_contract_colour', null],
  ['Migration20270201120000_expand_0_4_0_colour', null],
  ['Migration20270201120000_colour', null],
  ['expand_colour', null],
])('the name %s says %o', (name, change) => {
  expect(changeOf(name)).toEqual(change);
});

test.each([
  'alter table accounts add column a text',
  "alter table accounts add column a text not null default '', add column b integer",
  'create table t (id uuid primary key, a text not null); create index i on t (a)',
  'create index concurrently if not exists i on accounts (app_key)',
  'create index i on only events (id)',
  'alter index i rename to j',
  'alter table accounts add constraint a check (true) not valid',
])('allowed: %s', (text) => {
  expect(faultsOf(text)).toEqual([]);
});

test.each([
  'drop table accounts',
  'alter table accounts drop column app_key',
  'alter table accounts rename column app_key to key',
  'alter table accounts alter column app_key type varchar(20)',
  'alter table accounts alter column app_key set not null',
  'alter table accounts add column a text not null',
  'alter table events add column a uuid default gen_random_uuid()',
  'alter table events add column a bigserial',
  'update accounts set app_key = null',
  'create index i on events (id)',
  'create table t (id uuid); create index i on accounts (app_key)',
  'alter table accounts add constraint a check (true)',
  'create function f() returns integer language sql as $$ select 1 $$',
])('not allowed: %s', async (text) => {
  const [statement = ''] = await statementsOf(change('Migration20990101000000_expand_x', [text]));
  expect(faultsOf(statement)).not.toEqual([]);
});
