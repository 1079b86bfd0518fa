import type { Database } from './database.ts';
import { lockKeys } from './lock-keys.ts';
import { inTransaction } from './transaction.ts';
import { isoDay, uuidFloor } from './uuid-time.ts';

/** How many days of partitions exist in advance: a month of a forgotten worker before ingestion must make its own. */
export const daysAhead = 30;

const dayMs = 86_400_000;
const partitionedTables = [
  { name: 'events', key: 'id', storage: 'with (fillfactor = 75)' }, // room for the updates of an event's state in its own page
  { name: 'event_payloads', key: 'event_id', storage: '' },
  { name: 'delivery_attempts', key: 'event_id', storage: '' },
  { name: 'notifications', key: 'event_id', storage: 'with (fillfactor = 80)' },
];

/** Serialises the making of partitions among processes; the same number in all of them. */

/**
 * Makes the daily partitions from one day before `from` (clocks differ) to `days` after it, where they are missing.
 * A table is made first and attached then, since attaching takes a weaker lock on the parent than creating in place:
 * reads and writes go on.
 */
export async function ensurePartitions(database: Database, from: Date, days: number): Promise<void> {
  const first = Math.floor(from.getTime() / dayMs) - 1;
  const wanted = Array.from({ length: days + 2 }, (_, index) => new Date((first + index) * dayMs));
  await inTransaction(database.pool, async (client) => {
    await client.query("set local lock_timeout = '5s'");
    await client.query('select pg_advisory_xact_lock($1)', [lockKeys.partitions]);
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

const partitionName = (table: string, day: Date) => `${table}_${isoDay(day).replaceAll('-', '')}`;
