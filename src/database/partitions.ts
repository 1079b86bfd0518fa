import type { Database } from './database.ts';
import { lockKeys } from './lock-keys.ts';
import type { Sql } from './sql.ts';
import { inTransaction } from './transaction.ts';
import { dayMs, isoDay, uuidFloor } from './uuid-time.ts';

/** How many days of partitions exist in advance: a month of a forgotten worker before ingestion must make its own. */
export const daysAhead = 30;

const partitionedTables = [
  { name: 'events', key: 'id', storage: 'with (fillfactor = 75)' }, // room for the updates of an event's state in its own page
  { name: 'event_payloads', key: 'event_id', storage: '' },
  { name: 'delivery_attempts', key: 'event_id', storage: '' },
  { name: 'notifications', key: 'event_id', storage: 'with (fillfactor = 80)' },
];

/** The tables that have a partition a day. */
export const dailyTables: readonly string[] = partitionedTables.map(({ name }) => name);

/** The partition of a table that holds the events of a day, and what belongs to them. */
export const partitionName = (table: string, day: Date) => `${table}_${isoDay(day).replaceAll('-', '')}`;

const readPartitions = {
  name: 'read_partitions',
  text: `
    select distinct right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname = any($1) and p.relnamespace = current_schema()::regnamespace and c.relname ~ ('^' || p.relname || '_[0-9]{8}$')
    order by 1`,
};

/** The days of which at least one table has a partition, as their midnights (UTC), oldest first. */
export async function partitionDays(sql: Sql): Promise<Date[]> {
  const rows = await sql.query<{ day: string }>(readPartitions, [dailyTables]);
  return rows.map(({ day }) => new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`));
}

/**
 * Makes the daily partitions from one day before `from` (clocks differ) to `days` after it, where they are missing.
 * A table is made first and attached then, since attaching takes a weaker lock on the parent than creating in place:
 * reads and writes go on, also while a backup reads everything.
 */
export async function ensurePartitions(database: Database, from: Date, days: number): Promise<void> {
  const first = Math.floor(from.getTime() / dayMs) - 1;
  const wanted = Array.from({ length: days + 2 }, (_, index) => new Date((first + index) * dayMs));
  await inTransaction(database.pool, async (client) => {
    // With the connection's own limit: nobody waits behind this lock but others who make partitions.
    await client.query('select pg_advisory_xact_lock($1)', [lockKeys.partitions]);
    // Behind a lock of a table that is waited for, ingestion waits, too.
    await client.query("set local lock_timeout = '1s'");
    const names = partitionedTables.flatMap((table) => wanted.map((day) => partitionName(table.name, day)));
    const found = await client.query<{ relname: string }>(
      `select c.relname from pg_class c join pg_inherits i on i.inhrelid = c.oid
       where c.relname = any($1) and c.relnamespace = current_schema()::regnamespace`,
      [names],
    );
    const existing = new Set(found.rows.map((row) => row.relname));
    for (const table of partitionedTables) {
      for (const day of wanted) {
        const name = partitionName(table.name, day);
        if (existing.has(name)) continue;
        const [low, high] = [uuidFloor(day), uuidFloor(new Date(day.getTime() + dayMs))];
        await client.query(
          `create table ${name} (like ${table.name} including defaults including constraints including generated) ${table.storage}`,
        );
        // The check spares the scan that attaching would make to prove the bounds.
        await client.query(
          `alter table ${name} add constraint bounds check (${table.key} >= '${low}' and ${table.key} < '${high}')`,
        );
        await client.query(
          `alter table ${table.name} attach partition ${name} for values from ('${low}') to ('${high}')`,
        );
        await client.query(`alter table ${name} drop constraint bounds`);
      }
    }
  });
}
