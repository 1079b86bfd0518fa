import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { apiSettings } from '../../src/roles/api-settings.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { warmUpDatabase } from '../../src/roles/warm-up-database.ts';
import { warmUpHttp } from '../../src/roles/warm-up-http.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { randomKeyring } from '../support/keyring.ts';

async function opened(url: string): Promise<Database> {
  const database = await openDatabase({ url, log: pino({ level: 'silent' }) });
  onTestFinished(() => database.close());
  return database;
}

/** Makes both warm-ups of `npm start`, and returns the database with what was logged. */
async function warmedUp(url: string) {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const database = await opened(url);
  const keyring = randomKeyring();
  const config = readConfig('all', {});
  const mail = { ...config.notifications.mail, outboxDir: null };
  const ownSettings = { role: 'all', settings: [] };
  await warmUpHttp(
    { ...apiSettings(config), database, keyring, temporal: null, adminTokens: [], ownSettings, mail, log },
    log,
  );
  await warmUpDatabase({ database, log });
  return { database, lines };
}

async function rowsOf(database: Database): Promise<Record<string, number>> {
  const read = <Row extends object>(text: string) =>
    database.reader.query<Row & Record<string, never>>({ name: '', text }, []);
  const tables = await read<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace`,
  );
  const counts = tables.map(async ({ name }) => {
    const [row] = await read<{ n: number }>(`select count(*)::integer as n from "${name}"`);
    return [name, row?.n ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

test('a warm-up plans the statements of webhooks and attempts on six connections', async () => {
  const { database, lines } = await warmedUp(await migratedDatabase());
  expect(lines).toEqual([]);
  const clients = await Promise.all(Array.from({ length: 6 }, () => database.pool.connect()));
  try {
    for (const client of clients) {
      const { rows } = await client.query('select name from pg_prepared_statements');
      const names = rows.map(({ name }) => name);
      for (const name of ['accounts_by_address', 'receive_events', 'claim_first_attempts', 'read_attempts'])
        expect(names).toContain(name);
      expect(names).toContain('record_outcomes');
    }
  } finally {
    for (const client of clients) client.release();
  }
});

test('a warm-up leaves no row in any table', async () => {
  const untouched = await rowsOf(await opened(await migratedDatabase()));
  const { database } = await warmedUp(await migratedDatabase());
  expect(untouched).toMatchObject({ accounts: 0, events: 0, event_queue: 0, event_dedup: 0, delivery_attempts: 0 });
  expect(await rowsOf(database)).toEqual(untouched);
});

test('a warm-up of a database without tables only logs the error at debug', async () => {
  const { lines } = await warmedUp(await freshDatabase());
  const logged = lines.map((line) => JSON.parse(line));
  expect(logged.length).toBeGreaterThan(0);
  for (const line of logged) expect(line).toMatchObject({ level: 20, msg: 'warm-up failed' });
});
