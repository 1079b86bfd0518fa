import type pg from 'pg';
import { dayMs, uuidFloor } from '../database/uuid-time.ts';
import { BackupError } from './backup-error.ts';

/**
 * Tables of the database that no archive holds, each with why. Whatever else is there is in it, so that a new table cannot be
 * forgotten.
 */
export const leftOut: Readonly<Record<string, string>> = {
  mikro_orm_migrations: 'the manifest names the migrations; a restore applies them',
  backups: 'where backups of this place are: another place has others',
};

/** A table as the catalog has it. */
export interface SourceTable {
  name: string;
  columns: string[];
  triggers: boolean;
  /** The table itself, or its partitions in the order of their days. */
  parts: string[];
  days: string[] | null;
  storage: string[];
  references: string[];
}

interface Row {
  name: string;
  partitioned: boolean;
  columns: string[];
  triggers: boolean;
  references: string[];
  partitions: { name: string; bounds: string | null; storage: string[] }[];
}

// Columns that are generated are generated anew. Names that need quotes are not ours.
const readTables = `
  select c.relname as name, c.relkind = 'p' as partitioned,
    (select json_agg(a.attname order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers,
    (select coalesce(json_agg(distinct r.relname), '[]') from pg_constraint f join pg_class r on r.oid = f.confrelid
     where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as "references",
    (select coalesce(json_agg(json_build_object('name', p.relname, 'bounds', pg_get_expr(p.relpartbound, p.oid),
       'storage', coalesce(p.reloptions, '{}')) order by p.relname), '[]')
     from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid) as partitions
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname ~ '^[a-z_][a-z0-9_]*$'
  order by c.relname`;

/** The tables that an archive holds, each after those that it refers to. */
export async function readSourceTables(client: pg.ClientBase): Promise<SourceTable[]> {
  const { rows } = await client.query<Row>(readTables);
  const partitioned = rows.filter((row) => row.partitioned).map(({ name }) => name);
  // A day that was detached, or is not attached yet.
  const isDay = (name: string) => /_\d{8}$/.test(name) && partitioned.includes(name.replace(/_\d{8}$/, ''));
  return inOrder(rows.filter(({ name }) => !(name in leftOut) && !isDay(name)).map(toSource));
}

function toSource({ name, partitioned, columns, triggers, references, partitions }: Row): SourceTable {
  // One without bounds has just been dropped.
  const attached = partitions.filter(({ bounds }) => bounds !== null);
  const days = attached.map((partition) => {
    const day = partition.name.slice(name.length + 1);
    if (partition.name !== `${name}_${day}` || partition.bounds !== boundsOf(day))
      throw new BackupError(`The partition ${partition.name} was not made by the gateway: ${partition.bounds}.`);
    return day;
  });
  return {
    ...{ name, columns, triggers, references },
    parts: partitioned ? attached.map((partition) => partition.name) : [name],
    days: partitioned ? days : null,
    storage: attached.at(-1)?.storage ?? [],
  };
}

/** The bounds of a day's partition (src/database/partitions.ts), as PostgreSQL shows and takes them. */
export function boundsOf(day: string): string {
  const from = new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}T00:00:00Z`);
  if (Number.isNaN(from.getTime())) return '';
  const to = new Date(from.getTime() + dayMs);
  return `FOR VALUES FROM ('${uuidFloor(from)}') TO ('${uuidFloor(to)}')`;
}

function inOrder(tables: SourceTable[]): SourceTable[] {
  const ordered: SourceTable[] = [];
  const add = (table: SourceTable, above: readonly string[]) => {
    if (ordered.includes(table) || above.includes(table.name)) return;
    for (const other of tables) if (table.references.includes(other.name)) add(other, [...above, table.name]);
    ordered.push(table);
  };
  for (const table of tables) add(table, []);
  return ordered;
}
