import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/roles/open-database.ts';
import { warmUp } from '../../src/roles/warm-up.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { randomKeyring } from '../support/keyring.ts';

async function opened(url: string) {
  const database = await openDatabase({ url, log: pino({ level: 'silent' }) });
  onTestFinished(() => database.close());
  return database;
}

/** Warms up a database, and returns it with what was logged. */
async function warmedUp(url: string) {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const database = await opened(url);
  await warmUp({ database, box: createSecretBox(randomKeyring()), log });
  return { database, lines };
}

test('a warm-up plans the statements of webhooks and attempts on six connections', async () => {
  const { database, lines } = await warmedUp(await migratedDatabase());
  expect(lines).toEqual([]);
  const clients = await Promise.all(Array.from({ length: 6 }, () => database.pool.connect()));
  try {
    for (const client of clients) {
      const { rows } = await client.query('select name from pg_prepared_statements');
      const names = rows.map(({ name }) => name);
      for (const name of [
        'accounts_by_address',
        'receive_events',
        'claim_first_attempts',
        'read_attempts',
        'record_outcomes',
      ])
        expect(names).toContain(name);
    }
  } finally {
    for (const client of clients) client.release();
  }
});

test('a warm-up leaves no row in any table', async () => {
  const untouched = await opened(await migratedDatabase());
  const { database } = await warmedUp(await migratedDatabase());
  const tables = await database.reader.query<{ name: string }>(
    {
      name: '',
      text: `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace`,
    },
    [],
  );
  expect(tables.length).toBeGreaterThan(10);
  const count = async (at: typeof database, table: string) =>
    (await at.reader.query<{ n: number }>({ name: '', text: `select count(*)::integer as n from "${table}"` }, []))[0]
      ?.n;
  for (const { name } of tables)
    expect([name, await count(database, name)]).toEqual([name, await count(untouched, name)]);
  for (const name of ['accounts', 'events', 'event_payloads', 'event_queue', 'event_dedup', 'delivery_attempts'])
    expect([name, await count(database, name)]).toEqual([name, 0]);
});

test('a warm-up of a database without tables only logs the error at debug', async () => {
  const { lines } = await warmedUp(await freshDatabase());
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 20, msg: 'warm-up failed' }),
  );
});
