import { withClient } from '../../support/one-connection.ts';

/** Bytes of the databases, and of the gateway's tables with their indexes, summed over the days of an events table. */
export interface Sizes {
  databases: Map<string, number>;
  tables: Map<string, number>;
}

/**
 * Measures after a vacuum, so that dead rows of tables that are reused do not count as growth.
 *
 * @param urlOf the URL of a database for the superuser
 */
export async function sizesOf(urlOf: (database: string) => string): Promise<Sizes> {
  const databases = new Map<string, number>();
  for (const database of ['gateway', 'temporal', 'temporal_visibility'])
    databases.set(
      database,
      await withClient(urlOf(database), async (client) => {
        await client.query('vacuum');
        const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
        return Number(rows[0]?.bytes);
      }),
    );
  const tables = await withClient(urlOf('gateway'), async (client) => {
    const { rows } = await client.query<{ name: string; bytes: string }>(
      `select coalesce(i.inhparent::regclass::text, c.relname) as name, sum(pg_total_relation_size(c.oid)) as bytes
       from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_inherits i on i.inhrelid = c.oid
       where c.relkind = 'r' and n.nspname = 'public' group by 1`,
    );
    return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
  });
  return { databases, tables };
}

/** The bytes that each of `after` has grown by since `before`, for each of so many events. */
export const growth = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  events: number,
): Map<string, number> =>
  new Map([...after].map(([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / events]));
