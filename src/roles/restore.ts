import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BackupError } from '../backups/backup-error.ts';
import { openBackupStore } from '../backups/open-backup-store.ts';
import { type Restored, restoreArchive } from '../backups/restore.ts';
import { type ArchiveSource, verifyArchive } from '../backups/verify-archive.ts';
import { databaseUrlMistake } from '../database/connection-options.ts';
import { openDatabase } from '../database/database.ts';
import { openDataDir } from '../embedded/data-dir.ts';
import { startPostgres } from '../embedded/postgres.ts';
import type { RoleContext } from '../main.ts';
import { checkKeyring, readKnownKeys } from '../secrets/known-keys.ts';
import { StartError } from '../start-error.ts';
import { keyringOf } from './keyring.ts';

const usage = `npm run restore -- <file> [--into postgresql://…]

<file> is the path of a backup, or the name of one in BACKUP_DIR or BACKUP_URL. It is restored into the database of --into or
DATABASE_URL, which must be empty; without either, into the PostgreSQL of npm start in DATA_DIR.`;

/** The role `restore`: loads a backup into an empty database, says what it did, and ends. */
export async function runRestore(context: RoleContext): Promise<void> {
  const { file, into } = given(context.arguments);
  try {
    const source = sourceOf(file, context);
    console.log(`Checking ${source.name} …`);
    const manifest = await verifyArchive(source);
    const restore = async (url: string) => {
      const restored = await restoreArchive({ url, log: context.log, onProgress: console.log }, source, manifest);
      console.log(reportOf(source, restored, await keyAdvice(url, context)));
    };
    const url = into ?? context.config.databaseUrl;
    await (url === null ? inEmbedded(context, restore) : restore(url));
  } catch (error) {
    throw error instanceof BackupError ? new StartError(error.message) : error;
  }
}

function given(args: string[]): { file: string; into: string | null } {
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { into: { type: 'string' } } });
    const [file] = positionals;
    const { into = null } = values;
    if (file === undefined || positionals.length !== 1) throw new StartError(usage);
    const mistake = into === null ? null : databaseUrlMistake(into);
    if (mistake !== null) throw new StartError(`--into ${mistake}.\n\n${usage}`);
    return { file, into };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${error instanceof Error ? error.message : ''}\n\n${usage}`);
  }
}

/** The file of that path; else the backup of that name where backups are kept. */
function sourceOf(file: string, { config, log }: RoleContext): ArchiveSource {
  if (existsSync(file)) return { name: file, open: async () => (await open(file)).createReadStream() };
  if (config.upkeep.backup.dir === null && config.upkeep.backup.url === null)
    throw new BackupError(`There is no file ${file}, and neither BACKUP_DIR nor BACKUP_URL says where else to look.`);
  const store = openBackupStore(config.upkeep.backup, log);
  return { name: file, open: () => store.read(file) };
}

/** Into the database that `npm start` brings along: started for this, and stopped again. */
async function inEmbedded({ config, log }: RoleContext, restore: (url: string) => Promise<void>): Promise<void> {
  const dataDir = openDataDir(config.dataDir);
  try {
    // Its workflows would be taken for those of the restored events.
    const workflows = join(dataDir.path, 'temporal.db');
    if (existsSync(workflows))
      throw new BackupError(
        `The data folder ${dataDir.path} is in use: it holds the workflows of a gateway (${workflows}). Nothing was changed. ` +
          'Set DATA_DIR to a new folder.',
      );
    console.log('Starting PostgreSQL …');
    const postgres = await startPostgres({ dataDir, log, onProgress: console.log });
    try {
      await restore(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    dataDir.release();
  }
}

/** What whoever starts the gateway on this database has to know about the key. */
async function keyAdvice(url: string, { config, log }: RoleContext): Promise<string> {
  const needed =
    'SECRETS_KEY must be that of the gateway that made the backup (npm start keeps it in .data/secrets/secrets-key), or ' +
    'SECRETS_KEY_PREVIOUS, followed by `npm run reseal`.';
  if (config.secretsKey === null) return needed;
  const database = await openDatabase({ url, log });
  try {
    const keyring = keyringOf(config);
    const inUse = (await readKnownKeys(database)).filter(({ retired_at: at }) => at === null);
    if (inUse.length === 0) return needed;
    await checkKeyring(database, keyring);
    return inUse.every(({ id }) => id === keyring.current.id)
      ? 'The SECRETS_KEY that is set is the one that the backup needs.'
      : 'The backup needs SECRETS_KEY_PREVIOUS as it is set. Run `npm run reseal` to make SECRETS_KEY enough.';
  } catch (error) {
    if (error instanceof StartError)
      return `The SECRETS_KEY that is set is NOT the one that the backup needs. ${needed}`;
    throw error;
  } finally {
    await database.close();
  }
}

function reportOf(source: ArchiveSource, restored: Restored, keyLine: string): string {
  const { manifest, rowsByTable, skipped, migrated, pending, requeued } = restored;
  const width = Math.max(...Object.keys(rowsByTable).map((name) => name.length));
  const head = manifest.audit_head;
  return [
    '',
    `Restored ${source.name}, made at ${manifest.created_at} by gateway ${manifest.gateway_version}:`,
    '',
    ...Object.entries(rowsByTable).map(([name, rows]) => `  ${name.padEnd(width)}  ${rows}`),
    ...skipped.map((name) => `  ${name} is no table of the gateway and was left out`),
    '',
    migrated.length === 0 ? 'The schema was up to date.' : `Migrated to this version: ${migrated.join(', ')}.`,
    `${pending} events are pending; ${requeued} of them had a workflow, and get a new one.`,
    'Deliveries are PAUSED. Look around, then resume them with POST /admin/delivery/resume.',
    keyLine,
    ...(head === null
      ? []
      : [`The audit log ended at ${head.seq}:${head.seal}: GET /admin/audit-logs/verify?head=… checks it.`]),
    '',
  ].join('\n');
}
