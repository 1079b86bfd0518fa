import type pg from 'pg';
import { dailyTables } from '../database/partitions.ts';
import { dayMs, uuidFloor } from '../database/uuid-time.ts';
import { BackupError } from './backup-error.ts';
import { identifier } from './manifest.ts';

/**
 * Tables that are not part of backups, each with the reason. All other tables of the gateway are, so that a new table
 * cannot be forgotten.
 */
export const leftOut: Readonly<Record<string, string>> = {
  mikro_orm_migrations: 'the manifest names the migrations; a restore applies them',
  applied_migrations: 'as above, for those that the first migration now contains',
  processes: 'which processes run at this moment',
  backups: 'where backups of this place are: another place has others',
  admin_tokens: 'tokens of this place: a restore would put those in force again that were revoked since',
  incident_counts: 'failures of the last minutes, from which incidents were opened',
  feed_losses: 'what ends cursors of the feed; a restore ends them all',
};

/**
 * Columns that are not part of backups, as `table.column`, each with the reason. Their defaults fill them at a restore.
 * Generated columns are left out, too: PostgreSQL computes them again.
 */
const leftOutColumns: Readonly<Record<string, string>> = {
  'events.stored_xid': 'ids of transactions mean nothing in another cluster; restored rows have that of the restore',
};

/**
 * The columns of an archived table that are not part of backups. The release before does not know them: its backups of the
 * schema of this one have them, and the tables of `leftOut` that are new.
 */
export const columnsLeftOut = ({ name, columns }: Pick<SourceTable, 'name' | 'columns'>): string[] =>
  columns.filter((column) => `${name}.${column}` in leftOutColumns);

/**
 * The gateway's own tables, which every backup contains: if one cannot be read, the backup fails. Other tables, such as
 * those of a newer schema, are included unless `foreignness` finds that they are not the gateway's.
 */
export const gatewayTables: readonly string[] = [
  ...dailyTables,
  ...['account_deliveries', 'accounts', 'audit_chain', 'audit_logs', 'bulk_jobs', 'consumers', 'destinations'],
  ...[
    'event_actions',
    'event_commands',
    'event_dedup',
    'event_latencies',
    'event_latency_deltas',
    'event_queue',
    'event_replays',
  ],
  ...['event_series', 'event_series_latencies', 'event_stat_deltas', 'event_stats', 'event_values'],
  ...['gateway_settings', 'notification_bursts', 'notification_summaries', 'pauses'],
  ...['incident_messages', 'incidents', 'rejection_checks', 'rejection_counts', 'rejection_days'],
  ...['secrets_keys', 'signing_secret_uses', 'stopped_accounts'],
];

/** A table that is not the gateway's, and the reason for this conclusion. */
export interface ForeignTable {
  name: string;
  why: string;
}

/** A table as described by PostgreSQL's catalog. */
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
  owned: boolean;
  extension: boolean;
  columns: string[];
  triggers: boolean;
  references: string[];
  partitions: { name: string; bounds: string | null; storage: string[] }[];
}

const readTables = `
  select c.relname as name, c.relkind = 'p' as partitioned, pg_has_role(c.relowner, 'USAGE') as owned,
    exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e') as extension,
    (select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not c.relname || '.' || a.attname = any($1)) as columns,
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers,
    (select coalesce(json_agg(distinct r.relname), '[]') from pg_constraint f join pg_class r on r.oid = f.confrelid
     where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as "references",
    (select coalesce(json_agg(json_build_object('name', p.relname, 'bounds', pg_get_expr(p.relpartbound, p.oid),
       'storage', coalesce(p.reloptions, '{}')) order by p.relname), '[]')
     from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid) as partitions
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname`;

/**
 * The tables for a backup, each after the tables that it references; and the foreign tables. `leftOut` is in neither.
 */
export async function readSourceTables(
  client: pg.ClientBase,
): Promise<{ tables: SourceTable[]; foreign: ForeignTable[] }> {
  const { rows } = await client.query<Row>(readTables, [Object.keys(leftOutColumns)]);
  const partitioned = rows.filter((row) => row.partitioned).map(({ name }) => name);
  // A daily partition that was detached or is not attached yet.
  const isDay = (name: string) => /_\d{8}$/.test(name) && partitioned.includes(name.replace(/_\d{8}$/, ''));
  const found = rows
    .filter(({ name }) => !(name in leftOut) && !isDay(name))
    .map((row) => ({ row, why: foreignness(row) }));
  return {
    tables: inOrder(found.filter(({ why }) => why === null).map(({ row }) => toSource(row))),
    foreign: found.flatMap(({ row: { name }, why }) => (why === null ? [] : [{ name, why }])),
  };
}

/** Why a table is not the gateway's; null when it may be. */
function foreignness(row: Row): string | null {
  if (gatewayTables.includes(row.name)) return null;
  if (row.extension) return 'it belongs to an extension';
  if (!row.owned) return 'it belongs to another role';
  // The manifest allows only names without quotes, and only days as partitions. COPY reads partitions, not the whole
  // table.
  if (row.columns.length === 0 || ![row.name, ...row.columns].every((name) => identifier.safeParse(name).success))
    return 'it has a name that needs quotes, or no columns';
  if (row.partitioned && attachedTo(row).some((partition) => !isDayOf(row.name, partition)))
    return 'its partitions are not days';
  return null;
}

/** The attached partitions. One without bounds has just been dropped. */
const attachedTo = ({ partitions }: Row) => partitions.filter(({ bounds }) => bounds !== null);

const dayOf = (table: string, partition: string) => partition.slice(table.length + 1);

function isDayOf(table: string, { name, bounds }: Row['partitions'][number]): boolean {
  const day = dayOf(table, name);
  return name === `${table}_${day}` && bounds === boundsOf(day);
}

function toSource(row: Row): SourceTable {
  const { name, partitioned, columns, triggers, references } = row;
  const attached = attachedTo(row);
  const days = attached.map((partition) => {
    if (!isDayOf(name, partition))
      throw new BackupError(`The partition ${partition.name} was not made by the gateway: ${partition.bounds}.`);
    return dayOf(name, partition.name);
  });
  return {
    ...{ name, columns, triggers, references },
    parts: partitioned ? attached.map((partition) => partition.name) : [name],
    days: partitioned ? days : null,
    storage: attached.at(-1)?.storage ?? [],
  };
}

/** The bounds of a daily partition (src/database/partitions.ts) in PostgreSQL's syntax. */
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
