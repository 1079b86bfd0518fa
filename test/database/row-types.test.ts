import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { withClient } from '../support/one-connection.ts';
import { differences } from './row-types/compare.ts';
import { type DeclaredRows, declaredRows } from './row-types/declared.ts';
import { describeStatement } from './row-types/described.ts';
import { runComposedStatements } from './row-types/run-each.ts';
import { textsOfModules, textsWhile } from './row-types/texts.ts';

/** Calls whose statement is not checked, as file and columns of the declared row, with the reason. */
const notChecked = [
  // Reads a sequence by its name in the archive. PostgreSQL defines the columns of sequences.
  'src/backups/snapshot.ts: value, called',
];

let migrated: string;
let declared: DeclaredRows[];
/** The statements of each place in src/, by file and line. */
let sent: [where: string, text: string][];

// The compiler reads the whole project: 7 s alone, several times as long while other tests run.
beforeAll(async () => {
  migrated = await migratedDatabase();
  declared = declaredRows();
  const database = await openDatabase({ url: migrated, log: createLog('silent') });
  try {
    sent = [...(await textsOfModules(declared)), ...(await textsWhile(() => runComposedStatements(database)))];
  } finally {
    await database.close();
  }
});

/**
 * The places whose declared rows differ from those of the statement, by the present schema of the client's database.
 */
async function found(client: pg.Client): Promise<string[]> {
  const all: string[] = [];
  for (const rows of declared) {
    for (const [, text] of sent.filter(([where]) => where === rows.where)) {
      const wrong = await describeStatement(client, text).then(
        (columns) => differences(rows, columns),
        (error: Error) => [error.message],
      );
      all.push(...wrong.map((difference) => `${rows.where}: ${difference}`));
    }
  }
  return all;
}

test('the rows of every statement have their declared types', async () => {
  expect(await withClient(migrated, found)).toEqual([]);
});

test('each place that declares rows is checked', () => {
  const places = new Set(sent.map(([where]) => where));
  const left = declared.filter(({ where }) => !places.has(where));
  expect(left.map(({ where, columns }) => `${where.replace(/:\d+$/, '')}: ${[...columns.keys()].join(', ')}`)).toEqual(
    notChecked,
  );
});

test.each([
  {
    what: 'a column that is renamed',
    change: 'alter table destinations rename column position to place',
    finds: /^src\/notifications\/destinations\/destination-entity\.ts:\d+: position is no column$/,
  },
  {
    what: 'a column of another type',
    change: 'alter table backups alter column encrypted type text',
    finds: /^src\/backups\/backup-rows\.ts:\d+: encrypted is text \(string\), declared as boolean$/,
  },
  {
    what: 'a column of a function that has another type',
    change: `drop function stop_next_account_events; create function stop_next_account_events(integer) returns text return 'no'`,
    finds: /^src\/events\/transitions\/account-deleted\.ts:\d+: more is text \(string\), declared as boolean$/,
  },
])('$what is found', async ({ change, finds }) => {
  await withClient(await migratedDatabase(), async (client) => {
    await client.query(change);
    expect(await found(client)).toContainEqual(expect.stringMatching(finds));
  });
});
