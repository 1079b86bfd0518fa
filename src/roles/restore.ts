import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BackupError } from '../backups/backup-error.ts';
import type { Manifest } from '../backups/manifest.ts';
import { type Restored, restoreArchive } from '../backups/restore.ts';
import { type ArchiveSource, verifyArchive } from '../backups/verify-archive.ts';
import { databaseUrlMistake } from '../database/connection-options.ts';
import { openDataDir } from '../embedded/data-dir.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { checkKeyring, readKnownKeys } from '../secrets/known-keys.ts';
import type { Log } from '../shared/log.ts';
import { StartError } from '../shared/start-error.ts';
import { givenBackup, sourceOf, warningOf } from './given-backup.ts';
import { withDatabase } from './open-database.ts';
import { existingKeyring } from './own-keys.ts';
import { withOwnPostgres } from './own-postgres.ts';
import type { RoleContext } from './role-context.ts';

const usage = `npm run restore -- <file> [--into postgresql://…] [--unverified]

<file> is the path of a backup, or the name of one in BACKUP_DIR or BACKUP_URL. It is restored into the database of --into or
DATABASE_URL, which must be empty; without either, into the PostgreSQL of npm start in DATA_DIR. SECRETS_KEY must be the key that the
backup was made with; without it, the keys in DATA_DIR/secrets are used. All users of this machine can read a password in --into.

--unverified takes a file without a valid signature. Its writer decides what is restored: the addresses that events are sent
to, which of them are delivered, and what the audit log says.`;

/** Runs the role `restore`: loads a backup into an empty database and prints a report. */
export async function runRestore(context: RoleContext): Promise<void> {
  const { file, target: into, allowUnverified } = givenBackup(context.arguments, 'into', usage);
  const mistake = into === null ? null : databaseUrlMistake(into);
  if (mistake !== null) throw new StartError(`--into ${mistake}.\n\n${usage}`);
  try {
    const source = await sourceOf(file, context);
    const keyring = existingKeyring(context.config);
    console.log(`Checking ${source.name} …`);
    const { manifest, unverified } = await verifyArchive(source, { keyring, allowUnverified });
    if (unverified !== null) console.log(warningOf(source.name, unverified));
    const restore = async (url: string) => {
      const deps = { url, keyring, log: context.log, onProgress: console.log };
      const restored = await restoreArchive(deps, source, manifest);
      const advice = await keyAdvice(url, manifest, keyring, context.log);
      console.log(reportOf(source, restored, [advice, ...(unverified === null ? [] : [riskOf])]));
    };
    const url = into ?? context.config.databaseUrl;
    await (url === null ? inEmbedded(context, restore) : restore(url));
  } catch (error) {
    throw error instanceof BackupError ? new StartError(error.message) : error;
  }
}

const riskOf =
  'The backup was UNVERIFIED: check the delivery URLs of all accounts and the addresses of all destinations before you resume.';

/** Restores into the embedded PostgreSQL of `npm start`, which is started before and stopped afterwards. */
async function inEmbedded({ config, log }: RoleContext, restore: (url: string) => Promise<void>): Promise<void> {
  const dataDir = openDataDir(config.dataDir);
  try {
    // The existing workflows have nothing to do with the restored events, but could have the same ids.
    const workflows = join(dataDir.path, 'temporal.db');
    if (existsSync(workflows))
      throw new BackupError(
        `The data folder ${dataDir.path} is in use: it holds the workflows of a gateway (${workflows}). Nothing was changed. ` +
          'Set DATA_DIR to a new folder.',
      );
    await withOwnPostgres(dataDir, log, restore);
  } finally {
    dataDir.release();
  }
}

/** Advice on the settings of the keys: the restored gateway needs the keys that sealed the restored rows. */
async function keyAdvice(url: string, { key_id }: Manifest, keyring: Keyring | null, log: Log): Promise<string> {
  const needed =
    `SECRETS_KEY must be that of the gateway that made the backup, whose id is ${key_id} (npm start keeps it in ` +
    'secrets/secrets-key of its DATA_DIR), or SECRETS_KEY_PREVIOUS, followed by `npm run reseal`.';
  if (keyring === null) return needed;
  try {
    return await withDatabase({ url, log }, async (database) => {
      const inUse = (await readKnownKeys(database)).filter(({ retired_at: at }) => at === null);
      if (inUse.length === 0) return needed;
      await checkKeyring(database, keyring);
      return inUse.every(({ id }) => id === keyring.current.id)
        ? 'The SECRETS_KEY that is set is the one that the backup needs.'
        : 'The backup needs SECRETS_KEY_PREVIOUS as it is set. Run `npm run reseal` to make SECRETS_KEY enough.';
    });
  } catch (error) {
    if (error instanceof StartError)
      return `The SECRETS_KEY that is set is NOT the one that the backup needs. ${needed}`;
    throw error;
  }
}

function reportOf(source: ArchiveSource, restored: Restored, advice: string[]): string {
  const { manifest, rowsByTable, skipped, migrated, pending, requeued } = restored;
  const width = Math.max(...Object.keys(rowsByTable).map((name) => name.length));
  const head = manifest.audit_head;
  return [
    '',
    `Restored ${source.name}, made at ${manifest.created_at} by gateway ${manifest.gateway_version}:`,
    '',
    ...Object.entries(rowsByTable).map(([name, rows]) => `  ${name.padEnd(width)}  ${rows}`),
    ...skipped.map((name) => `  ${name} is not a table of the gateway and was skipped`),
    '',
    migrated.length === 0 ? 'The schema was up to date.' : `Migrated to this version: ${migrated.join(', ')}.`,
    `${pending} events are pending; ${requeued} of them had a workflow, and get a new one.`,
    'Deliveries are PAUSED. Check the restored data, then resume them with POST /admin/delivery/resume.',
    ...advice,
    ...(head === null
      ? []
      : [`The audit log ended at ${head.seq}:${head.seal}: GET /admin/audit-logs/verify?head=… checks it.`]),
    '',
  ].join('\n');
}
