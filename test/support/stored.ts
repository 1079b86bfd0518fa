import type { Database } from '../../src/database/database.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the columns of rows
export type Row = Record<string, any>;

/** The rows of any statement, with the types of the driver. */
export async function rows(database: Database, text: string, values: unknown[] = []): Promise<Row[]> {
  return database.query<Row>({ name: '', text }, values);
}

/** An event's row joined with its payload's row, or undefined. */
export async function storedEvent(database: Database, id: string): Promise<Row | undefined> {
  const [row] = await rows(
    database,
    'select e.*, p.headers, p.content_type, p.body from events e join event_payloads p on p.event_id = e.id where e.id = $1',
    [id],
  );
  return row;
}

/** The events of an account, oldest first, with their payloads. */
export function eventsOf(database: Database, accountId: string): Promise<Row[]> {
  return rows(
    database,
    `select e.*, p.headers, p.content_type, p.body from events e join event_payloads p on p.event_id = e.id
     where e.account_id = $1 order by e.id`,
    [accountId],
  );
}

/** The content of all tables (`except` some) as text, with `bytea` as hex and, where possible, also as characters. */
export async function everythingStored(database: Database, except: readonly string[] = []): Promise<string> {
  const tables = await rows(
    database,
    `select c.oid::regclass::text as name from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    if (except.includes(name)) continue;
    const [found] = await rows(database, `select coalesce(json_agg(t), '[]')::text as text from ${name} t`);
    const text: string = found?.text ?? '';
    const bytes = [...text.matchAll(/\\\\x((?:[0-9a-f]{2})+)/g)].map(([, hex]) => Buffer.from(hex ?? '', 'hex'));
    parts.push(name, text, ...bytes.map((part) => part.toString('latin1')));
  }
  return parts.join('\n');
}
