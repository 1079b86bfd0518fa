import { type ArchivedTable, formatVersion, type Manifest } from './manifest.ts';
import { settleStatements } from './settle.ts';
import { boundsOf } from './tables.ts';

/**
 * The format of a backup: one file `gateway-<UTC time>-<id>.sql.gz` of two gzip members (RFC 1952); with `.enc` behind the name,
 * the first of them is encrypted (encryption.ts).
 *
 * - The first is text that psql reads (`zcat file | psql`) into a database with the schema of the manifest's migrations and
 *   without rows: a head in comments; the partitions; for each table a `COPY` with its rows in PostgreSQL's text format;
 *   the values of the sequences; a pause of deliveries, and what else makes it ready for workers that know nothing of it.
 *   All of it is one transaction. Triggers that count are off meanwhile.
 * - The second is two comments: the manifest in JSON, which says what is in the file and has the SHA-256 of everything before,
 *   and its HMAC. It is written last, never encrypted, and found from the end of the file. So a file is whole, or it has no
 *   manifest; and a list needs no more of it to know whether it is genuine.
 *
 * `npm run restore` runs no SQL of the file: it makes the statements from the manifest, and takes only rows from the text.
 */
export type ArchiveHead = Pick<
  Manifest,
  'id' | 'created_at' | 'gateway_version' | 'key_id' | 'encrypted' | 'migrations' | 'sequences' | 'audit_head'
> & {
  tables: Omit<ArchivedTable, 'rows'>[];
};

/** The text's first line, by which a file of ours is known. */
export const firstLine = `-- webhook-gateway backup, format ${formatVersion}\n`;
/** What ends the rows of a COPY. */
export const endOfRows = '\\.\n';

/** Identifiers of ours need quotes only where they are words of SQL; then they do. */
const quoted = (name: string) => `"${name}"`;

/** `"events" ("id", …)`: what COPY is told. */
export const tableAndColumns = ({ name, columns }: Pick<ArchivedTable, 'name' | 'columns'>) =>
  `${quoted(name)} (${columns.map(quoted).join(', ')})`;

/** The line before the rows of a table. */
export const copyLine = (table: Pick<ArchivedTable, 'name' | 'columns'>) =>
  `COPY ${tableAndColumns(table)} FROM stdin;\n`;

/** What makes a table's partitions, where they are missing. */
export function partitionStatements({ name, days, storage }: Omit<ArchivedTable, 'rows'>): string[] {
  const options = storage.length === 0 ? '' : ` WITH (${storage.join(', ')})`;
  return (days ?? []).map(
    (day) =>
      `CREATE TABLE IF NOT EXISTS ${quoted(`${name}_${day}`)} PARTITION OF ${quoted(name)} ${boundsOf(day)}${options};`,
  );
}

/** Triggers of ours, not those that check references. Whoever owns the tables may do this. */
export const triggerStatements = (tables: readonly Omit<ArchivedTable, 'rows'>[], state: 'DISABLE' | 'ENABLE') =>
  tables.filter(({ triggers }) => triggers).map(({ name }) => `ALTER TABLE ${quoted(name)} ${state} TRIGGER USER;`);

export const sequenceStatements = (sequences: Manifest['sequences']) =>
  sequences.map(
    ({ table, column, value, called }) =>
      `SELECT setval(pg_get_serial_sequence('${quoted(table)}', '${column}'), ${value}, ${called});`,
  );

/** Everything before the first table's rows. */
export function beginning(head: ArchiveHead): string {
  const days = [...new Set(head.tables.flatMap((table) => table.days ?? []))].sort();
  return [
    firstLine.trimEnd(),
    `-- id: ${head.id}`,
    `-- created at: ${head.created_at}`,
    `-- gateway: ${head.gateway_version}`,
    `-- schema: ${head.migrations.at(-1)}`,
    `-- days: ${days.join(' ')}`,
    '-- To restore it: npm run restore -- <the backup>, which checks it first. psql checks nothing.',
    '\\set ON_ERROR_STOP on',
    'BEGIN;',
    "SET LOCAL client_encoding = 'UTF8';",
    'SET LOCAL statement_timeout = 0;',
    'SET LOCAL lock_timeout = 0;',
    'SET LOCAL idle_in_transaction_session_timeout = 0;',
    ...head.tables.flatMap(partitionStatements),
    ...triggerStatements(head.tables, 'DISABLE'),
    '',
  ].join('\n');
}

/** Everything behind the last table's rows. */
export function ending(head: ArchiveHead): string {
  return [
    ...triggerStatements(head.tables, 'ENABLE'),
    ...sequenceStatements(head.sequences),
    '-- Deliveries are paused: POST /admin/delivery/resume when you have looked around.',
    ...settleStatements(`loaded from a backup of ${head.created_at}`),
    'COMMIT;',
    '',
  ].join('\n');
}
