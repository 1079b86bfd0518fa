import pg from 'pg';
import { allKinds, type Kind, type Leak, leaksIn, patternOf } from './markers.ts';

/** What else may stand in a table, and why. */
const exceptions: Record<string, readonly Kind[]> = {
  // A consumer may repeat in its answer what it was sent.
  delivery_attempts: ['payload'],
  // The URLs of consumers are stored as they were configured.
  accounts: ['address'],
};
/** One of each kind in a table tells enough. */
const shownRows = 3;

/**
 * Looks through the tables of every database on a server: audit entries, error texts, notifications, backups and all others.
 * Secrets are encrypted at rest, so they stand nowhere.
 *
 * Left out, one by one: `event_payloads` (holds the webhook's body and headers as they came; secrets in headers are masked
 * before, which tests of the stored headers check).
 *
 * @param url of any database on the server, as its administrator
 */
export async function leaksInDatabases(url: string): Promise<Leak[]> {
  const names = await query<{ datname: string }>(url, 'select datname from pg_database where not datistemplate');
  const leaks: Leak[] = [];
  const look = async () => {
    for (let next = names.pop(); next !== undefined; next = names.pop()) {
      const database = new URL(url);
      database.pathname = `/${next.datname}`;
      leaks.push(...(await leaksInDatabase(database.href, next.datname)));
    }
  };
  // As many as there are cores, mostly.
  await Promise.all([look(), look()]);
  return leaks;
}

/** The same of one database; `database` names it in reports. */
export async function leaksInDatabase(url: string, database: string): Promise<Leak[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Partitions one by one, and only what holds rows: to plan a statement over the partitions of a month takes longer.
    const { rows: tables } = await client.query<{ name: string; part: string }>(
      `select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name, c.oid::regclass::text as part from pg_class c
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and pg_relation_size(c.oid) > 0`,
    );
    const leaks: Leak[] = [];
    for (const { name, part } of tables) {
      if (name === 'event_payloads') continue;
      const kinds = allKinds.filter((kind) => !exceptions[name]?.includes(kind));
      const pattern = kinds.map(patternOf).join('|');
      const { rows } = await client.query<{ text: string }>(
        `select t::text as text from ${part} t where t::text ~* $1 limit ${shownRows}`,
        [pattern],
      );
      leaks.push(...rows.flatMap(({ text }) => leaksIn(`${name} of the database ${database}`, text, kinds)));
    }
    return leaks;
  } finally {
    await client.end();
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
