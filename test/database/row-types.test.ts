import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { differences } from './row-types/compare.ts';
import { type DeclaredRows, declaredRows } from './row-types/declared.ts';
import { describeStatement } from './row-types/described.ts';
import { runComposedStatements } from './row-types/run-each.ts';
import { textsOfModules, textsWhile } from './row-types/texts.ts';

/** Calls whose statement is not checked, as file and part of the declared row, with the reason. */
const notChecked = [
  // Reads a sequence of the archive by its name; it has two columns of PostgreSQL's own.
  'src/backups/snapshot.ts: value, called',
];

let migrated: string;
let declared: DeclaredRows[];
/** Each place of src/ with the texts that it sends. */
let sent: [where: string, text: string][];

// The compiler reads the whole project: seven seconds alone, several times that beside other tests.
beforeAll(async () => {
  migrated = await migratedDatabase();
  declared = declaredRows();
  const database = await openDatabase({ url: migrated, log: createLog('silent') });
  try {
    sent = [...(await textsOfModules(declared)), ...(await textsWhile(() => runComposedStatements(database)))];
  } finally {
    await database.close();
  }
}, 120_000);

/** Which rows are not what the code says, as the schema of the client's database is now. */
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

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test('the rows of every statement are what their types say', async () => {
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
    finds: /^src\/destinations\/destination-entity\.ts:\d+: position is no column$/,
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
