import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { oldestUpgrade } from '../database/applied-migrations.ts';
import { isTransactional } from '../database/apply-later.ts';
import { connectionOptions, placeOf } from '../database/connection-options.ts';
import { connectDatabase, type Database } from '../database/database.ts';
import { applyFunctions, functionChanges } from '../database/functions.ts';
import { keptAlive } from '../database/keep-alive.ts';
import { migrateOnce } from '../database/migrate.ts';
import { migrations } from '../database/migrations.ts';
import { noLimits } from '../database/no-limits.ts';
import { missingSquashed, schemaAge, unknownMigrations } from '../database/schema-check.ts';
import { soleConnection } from '../database/sole-connection.ts';
import { sqlOfClient } from '../database/transaction.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { ArchiveReader } from './archive-reader.ts';
import {
  defaultStatements,
  partitionStatements,
  sequenceStatements,
  tableAndColumns,
  triggerStatements,
} from './archive-text.ts';
import { BackupError, said } from './backup-error.ts';
import type { ArchivedTable, Manifest } from './manifest.ts';
import { isCommittedAfterAll, refuseUnlessEmpty } from './restore-target.ts';
import { pauseRestored, type Settled, settleEvents } from './settle.ts';
import { leftOut } from './tables.ts';
import { type ArchiveSource, unreadable } from './verify-archive.ts';

/** The result of a restore. */
export interface Restored extends Settled {
  manifest: Manifest;
  rowsByTable: Record<string, number>;
  /** Tables of the archive that are not the gateway's. */
  skipped: string[];
  /** Migrations that are newer than the backup. */
  migrated: string[];
}

export interface RestoreDeps {
  /** The URL of the empty database. */
  url: string;
  /** Decrypts an encrypted archive; null when there is no key. */
  keyring: Keyring | null;
  log: Log;
  onProgress(line: string): void;
}

/**
 * Loads an archive into an empty database: first the schema of the backup's version, then its rows, then the later
 * migrations. All of it is one transaction, so a failed restore leaves nothing.
 *
 * @param manifest of this archive, from `verifyArchive`; the content is compared with it again before the commit
 * @throws BackupError
 */
export async function restoreArchive(
  { url, log, keyring, onProgress }: RestoreDeps,
  source: ArchiveSource,
  manifest: Manifest,
): Promise<Restored> {
  refuseOtherSchema(source, manifest);
  // A single connection, so that migrations and loading are one transaction.
  const database = await connectDatabase({ url, log, maxConnections: 1, wholeTables: true });
  let restored: Restored;
  try {
    await refuseUnlessEmpty(await database.pool.connect().then(released));
    restored = await loaded(database, source, manifest, { keyring, onProgress });
  } catch (error) {
    throw explained(error, `${placed(url)} did not take the backup`, 'Nothing was restored.');
  } finally {
    await database.close();
  }
  const after = await finished(url, log, onProgress).catch((error: unknown) => {
    throw explained(error, `${placed(url)} failed after the restore`, restoredText(manifest, 'Everything'));
  });
  return {
    ...restored,
    migrated: [...restored.migrated, ...after.filter((name) => !manifest.migrations.includes(name))],
  };
}

/**
 * Applies the migrations that must run outside of transactions, creates the partitions of the coming days, and updates the planner's
 * statistics.
 *
 * @returns the names of those migrations.
 */
async function finished(url: string, log: Log, onProgress: (line: string) => void): Promise<string[]> {
  const { migrations } = await migrateOnce(url, log);
  onProgress('Counting values for the planner …');
  const client = new pg.Client({ ...connectionOptions(url, { options: noLimits }), ...keptAlive });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('analyze');
  } finally {
    await client.end().catch(() => undefined);
  }
  return migrations;
}

/** Returns the connection to the pool, and uses it further: the pool has no other. */
function released(client: pg.PoolClient): pg.PoolClient {
  client.release();
  return client;
}

function refuseOtherSchema(source: ArchiveSource, { migrations: applied, gateway_version: version }: Manifest): void {
  const age = schemaAge(applied);
  switch (age) {
    case 'usable':
      return;
    case 'newer':
      throw new BackupError(
        `${source.name} was made by a newer gateway (${version}): this one does not know ${unknownMigrations(applied).join(', ')}. ` +
          'Nothing was written. Restore it with that version or a later one.',
      );
    case 'older':
      throw new BackupError(
        `${source.name} has an older schema than this version can restore: it lacks ${missingSquashed(applied).join(', ')}. ` +
          `Nothing was written. Restore it with commit ${oldestUpgrade}, then run \`npm run migrate\` of this version.`,
      );
    case 'unreleased':
      throw new BackupError(
        `${source.name} was made by a version from before the first release (migration ${applied[0]}). This version can ` +
          'neither use nor convert its schema. Nothing was written. Restore it with the version that made it, which can ' +
          'deliver its events, and start this version with an empty database.',
      );
    default:
      throw new Error(`unknown age ${age satisfies never}`);
  }
}

type LoadDeps = Pick<RestoreDeps, 'keyring' | 'onProgress'>;

async function loaded(
  database: Database,
  source: ArchiveSource,
  manifest: Manifest,
  deps: LoadDeps,
): Promise<Restored> {
  const { em, migrator } = database.orm;
  const connection = soleConnection(database);
  // Creates the migrator's own table, which it does outside any transaction.
  await migrator.getPending();
  let complete = null as Restored | null;
  try {
    return await em.fork().transactional(async (transactional) => {
      const transaction = transactional.getTransactionContext();
      const client = connection.client();
      // Those of this version, not those of the backup: bodies of functions are no part of a backup.
      const sql = sqlOfClient(client);
      await applyFunctions(sql, await functionChanges(sql));
      const here = migrations.filter((each) => isTransactional(database, each)).map(({ name }) => name);
      const inBackup = here.filter((name) => manifest.migrations.includes(name));
      await migrator.up({ transaction, migrations: inBackup });
      const { rowsByTable, skipped } = await loadRows(client, source, manifest, deps);
      const migrated = here.filter((name) => !inBackup.includes(name));
      await migrator.up({ transaction, migrations: migrated });
      const settled = await settleEvents(client);
      await pauseRestored(client, `restored from ${source.name}, a backup of ${manifest.created_at}`);
      complete = { manifest, rowsByTable, skipped, migrated, ...settled };
      return complete;
    });
  } catch (error) {
    connection.giveBack();
    const committed = await isCommittedAfterAll(database.pool);
    if (complete === null || committed === false) throw error;
    if (committed) return complete;
    const outcome = `If the database has no table events, restore again. ${restoredText(manifest, 'Otherwise, everything')}`;
    throw explained(error, 'The answer to the commit was lost', outcome);
  }
}

async function loadRows(
  client: pg.ClientBase,
  source: ArchiveSource,
  manifest: Manifest,
  { keyring, onProgress }: LoadDeps,
): Promise<Pick<Restored, 'rowsByTable' | 'skipped'>> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const known = new Set(rows.map(({ name }) => name).filter((name) => !(name in leftOut)));
  const ours = manifest.tables.filter(({ name }) => known.has(name));
  const statements = [
    // Rows that migrations insert are also in the archive, in their later state.
    `truncate ${ours.map(({ name }) => `"${name}"`).join(', ')}`,
    ...ours.flatMap(partitionStatements),
    ...triggerStatements(ours, 'DISABLE'),
  ];
  for (const text of statements) await client.query(text);
  const file = await source.open().catch((error: unknown) => {
    throw unreadable(source, error, 'Nothing was restored.');
  });
  const reader = new ArchiveReader(file, manifest, keyring);
  await reader.begin();
  const rowsByTable: Record<string, number> = {};
  const skipped: string[] = [];
  for (const table of manifest.tables) {
    const content = reader.rowsOf(table);
    if (!known.has(table.name)) {
      for await (const _ of content);
      if (!(table.name in leftOut)) skipped.push(table.name);
      continue;
    }
    if (table.rows > 0) onProgress(`Loading ${table.rows} rows of ${table.name} …`);
    rowsByTable[table.name] = await copyRows(client, table, content);
  }
  await reader.finish();
  const after = [...defaultStatements(ours), ...triggerStatements(ours, 'ENABLE'), ...sequencesOf(manifest, known)];
  for (const text of after) await client.query(text);
  return { rowsByTable, skipped };
}

const sequencesOf = ({ sequences }: Manifest, known: ReadonlySet<string>) =>
  sequenceStatements(sequences.filter(({ table }) => known.has(table)));

async function copyRows(client: pg.ClientBase, table: ArchivedTable, content: AsyncIterable<Buffer>): Promise<number> {
  const copy = client.query(copyFrom(`COPY ${tableAndColumns(table)} FROM STDIN`));
  await pipeline(Readable.from(content, { objectMode: false }), copy);
  if (copy.rowCount !== table.rows)
    throw new BackupError(
      `The backup cannot be read: ${table.name} has ${copy.rowCount} rows, the manifest says ${table.rows}. Nothing was restored.`,
    );
  return copy.rowCount;
}

function placed(url: string): string {
  const { server, database } = placeOf(url);
  return `The database ${database} at ${server}`;
}

/** With the end of the audit log, because an error replaces the report that has it. */
const restoredText = ({ audit_head: head }: Manifest, what: string) =>
  `${what} was restored: run \`npm run migrate\` before the start.` +
  (head === null ? '' : ` The audit log ended at ${head.seq}:${head.seal}.`);

function explained(error: unknown, what: string, outcome: string): unknown {
  if (error instanceof BackupError) return error;
  return new BackupError(`${what} (${said(error)}). ${outcome}`, { cause: error });
}
