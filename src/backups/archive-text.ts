import { type ArchivedTable, formatVersion, type Manifest } from './manifest.ts';
import { settleStatements } from './settle.ts';
import { boundsOf, columnsLeftOut } from './tables.ts';

/**
 * The format of a backup: one file `gateway-<UTC time>-<id>.sql.gz` with two gzip members (RFC 1952). If the name ends
 * with `.enc`, the first member is encrypted (encryption.ts).
 *
 * - The first member is SQL text for psql (`zcat file | psql`), for a database with the schema of the manifest's
 *   migrations and without rows. It contains a header in comments, the partitions, a `COPY` for each table with its
 *   rows in PostgreSQL's text format, the values of the sequences, and the statements that settle events and pause
 *   deliveries. All of it is one transaction, in which the gateway's triggers are disabled.
 * - The second member has two comments: the manifest in JSON, which describes the file and has the SHA-256 of
 *   everything before it, and its HMAC. It is written last, so only a complete file has one. It is never encrypted and
 *   is found from the end of the file, so listing backups reads only this member to check that a file is genuine.
 *
 * `npm run restore` does not execute SQL from the file: it derives the statements from the manifest, and reads only
 * rows from the text.
 */
export type ArchiveHead = Pick<
  Manifest,
  'id' | 'created_at' | 'gateway_version' | 'key_id' | 'encrypted' | 'migrations' | 'sequences' | 'audit_head'
> & {
  tables: Omit<ArchivedTable, 'rows'>[];
};

/** The first line of the text, which identifies the format. */
export const firstLine = `-- webhook-gateway backup, format ${formatVersion}\n`;
/** The end marker of the rows of a COPY. */
export const endOfRows = '\\.\n';

/** Quotes an identifier, because it may be an SQL keyword. Identifiers contain no quotes: see `identifier`. */
const quoted = (name: string) => `"${name}"`;

/** The table and columns of a COPY: `"events" ("id", …)`. */
export const tableAndColumns = ({ name, columns }: Pick<ArchivedTable, 'name' | 'columns'>) =>
  `${quoted(name)} (${columns.map(quoted).join(', ')})`;

/** The line before the rows of a table. */
export const copyLine = (table: Pick<ArchivedTable, 'name' | 'columns'>) =>
  `COPY ${tableAndColumns(table)} FROM stdin;\n`;

/** The statements that create a table's missing partitions. */
export function partitionStatements({ name, days, storage }: Omit<ArchivedTable, 'rows'>): string[] {
  const options = storage.length === 0 ? '' : ` WITH (${storage.join(', ')})`;
  return (days ?? []).map(
    (day) =>
      `CREATE TABLE IF NOT EXISTS ${quoted(`${name}_${day}`)} PARTITION OF ${quoted(name)} ${boundsOf(day)}${options};`,
  );
}

/** Disables or enables the gateway's triggers, but not those of foreign keys. The owner of the tables may do this. */
export const triggerStatements = (tables: readonly Omit<ArchivedTable, 'rows'>[], state: 'DISABLE' | 'ENABLE') =>
  tables.filter(({ triggers }) => triggers).map(({ name }) => `ALTER TABLE ${quoted(name)} ${state} TRIGGER USER;`);

/** Give columns that are not part of backups their defaults, where an archive has them all the same. */
export const defaultStatements = (tables: readonly Omit<ArchivedTable, 'rows'>[]) =>
  tables.flatMap((table) =>
    columnsLeftOut(table).map((column) => `UPDATE ${quoted(table.name)} SET ${quoted(column)} = DEFAULT;`),
  );

export const sequenceStatements = (sequences: Manifest['sequences']) =>
  sequences.map(
    ({ table, column, value, called }) =>
      `SELECT setval(pg_get_serial_sequence('${quoted(table)}', '${column}'), ${value}, ${called});`,
  );

/** The text before the first table's rows. */
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

/** The text after the last table's rows. */
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
