import type { Database } from './database.ts';
import { lockKeys } from './lock-keys.ts';
import type { Sql } from './sql.ts';
import { inTransaction } from './transaction.ts';
import { dayMs, isoDay, uuidFloor } from './uuid-time.ts';

/**
 * Days for which partitions exist in advance. Workers create them every six hours, and if none runs for longer, ingestion
 * creates the missing ones. More would cost: a day is some thirty tables and indexes, which each connection remembers.
 */
export const daysAhead = 7;

const partitionedTables = [
  // Room in each page for the updates of its rows: an event's state, and a notification's tries.
  { name: 'events', key: 'id', storage: 'with (fillfactor = 50)' },
  { name: 'event_payloads', key: 'event_id', storage: '' },
  { name: 'delivery_attempts', key: 'event_id', storage: '' },
  { name: 'notifications', key: 'event_id', storage: 'with (fillfactor = 80)' },
];

/** The tables with one partition per day. */
export const dailyTables: readonly string[] = partitionedTables.map(({ name }) => name);

/** The name of a table's partition for the events of a day. */
export const partitionName = (table: string, day: Date) => `${table}_${isoDay(day).replaceAll('-', '')}`;

const readPartitions = {
  name: 'read_partitions',
  text: `
    select distinct right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname = any($1) and p.relnamespace = current_schema()::regnamespace and c.relname ~ ('^' || p.relname || '_[0-9]{8}$')
    order by 1`,
};

/** The days for which at least one table has a partition, as their midnights (UTC), oldest first. */
export async function partitionDays(sql: Sql): Promise<Date[]> {
  const rows = await sql.query<{ day: string }>(readPartitions, [dailyTables]);
  return rows.map(({ day }) => new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`));
}

/**
 * Creates the missing daily partitions from one day before `from` (clocks differ) to `days` days after it. Each is
 * created as a table and then attached, because attaching takes a weaker lock on the parent than `create table …
 * partition of`. So reads and writes continue, also during a backup.
 */
export async function ensurePartitions(database: Database, from: Date, days: number): Promise<void> {
  const first = Math.floor(from.getTime() / dayMs) - 1;
  const wanted = Array.from({ length: days + 2 }, (_, index) => new Date((first + index) * dayMs));
  await inTransaction(database.pool, async (client) => {
    // With the connection's default limit, because only other processes that create partitions wait for this lock.
    await client.query('select pg_advisory_xact_lock($1)', [lockKeys.partitions]);
    // A short limit, because ingestion queues behind this transaction while it waits for a table's lock.
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
        // With this check, attaching needs no scan of the table to prove the bounds.
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

const readPartitionsOf = {
  name: 'read_partitions_of_days',
  text: `
    select day from unnest($1::text[], $2::text[]) as wanted (day, name)
    group by day having bool_and(to_regclass(name) is not null)`,
};

/**
 * How many days after that of `from` (UTC) have all their partitions, up to the first gap: one catalogue lookup for each
 * table of each day in `daysAhead`.
 */
export async function partitionsAhead(sql: Sql, from: Date): Promise<number> {
  const today = Math.floor(from.getTime() / dayMs);
  const days = Array.from({ length: daysAhead }, (_, index) => new Date((today + 1 + index) * dayMs));
  const wanted = days.flatMap((day) =>
    dailyTables.map((table) => ({ day: isoDay(day), name: partitionName(table, day) })),
  );
  const rows = await sql.query<{ day: string }>(readPartitionsOf, [
    wanted.map(({ day }) => day),
    wanted.map(({ name }) => name),
  ]);
  const whole = new Set(rows.map(({ day }) => day));
  const gap = days.findIndex((day) => !whole.has(isoDay(day)));
  return gap === -1 ? days.length : gap;
}
