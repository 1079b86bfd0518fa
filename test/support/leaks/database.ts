import { queryOnce, withClient } from '../one-connection.ts';
import { allKinds, type Kind, type Leak, leaksIn, patternOf } from './markers.ts';

/** Markers that a table may contain, with the reason. */
const exceptions: Record<string, readonly Kind[]> = {
  // A consumer may repeat the payload in its answer.
  delivery_attempts: ['payload'],
  // The URLs of consumers are stored unchanged.
  accounts: ['address'],
};
/** Further rows of a kind in one table add nothing to a report. */
const shownRows = 3;

/**
 * Searches the tables of every database on a server: audit entries, errors, notifications, backups and all others.
 * Secrets are encrypted at rest, so no table may contain one.
 *
 * Left out: `event_payloads`, which contains the original body and headers of webhooks. Secrets in headers are masked, which
 * tests of the stored headers check.
 *
 * @param url the URL of any database on the server, for its administrator
 */
export async function leaksInDatabases(url: string): Promise<Leak[]> {
  const names = await queryOnce<{ datname: string }>(url, 'select datname from pg_database where not datistemplate');
  const leaks: Leak[] = [];
  const look = async () => {
    for (let next = names.pop(); next !== undefined; next = names.pop()) {
      const database = new URL(url);
      database.pathname = `/${next.datname}`;
      leaks.push(...(await leaksInDatabase(database.href, next.datname)));
    }
  };
  // Two at a time, which is the number of cores of most machines that run the tests.
  await Promise.all([look(), look()]);
  return leaks;
}

/** Searches one database. `database` is its name in reports. */
export const leaksInDatabase = (url: string, database: string): Promise<Leak[]> =>
  withClient(url, async (client) => {
    // Only partitions with rows, one by one, because planning a statement over the partitions of a month takes longer.
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
  });
