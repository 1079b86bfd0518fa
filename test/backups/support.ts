import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { readCatalogue } from '../../src/backups/read-catalogue.ts';
import { restoreArchive } from '../../src/backups/restore.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { type BackupOptions, writeBackup } from '../../src/backups/write-backup.ts';
import { createKeyring, type Keyring } from '../../src/secrets/keyring.ts';
import { createLog, type Log } from '../../src/shared/log.ts';
import { folderForTest } from '../support/folder-for-test.ts';

const log = createLog('silent');

export const folderStore = () => openDirectoryStore(join(folderForTest(), 'backups'));

export const neverAborted = new AbortController().signal;

/** The keyring of this file's gateways. */
export const testKeyring = createKeyring(randomBytes(32));

/** Options that a test may change. */
type BackUp = Partial<BackupOptions> & { log?: Log; keyring?: Keyring; encrypt?: boolean };

/** Makes a backup. */
export function backUp(url: string, store: BackupStore, options: BackUp = {}) {
  const { keyring = testKeyring, encrypt = true } = options;
  return writeBackup(
    { database: { url }, store, keyring, encrypt, log: options.log ?? log },
    { id: randomUUID(), signal: neverAborted, onProgress: () => undefined, ...options },
  );
}

/** Checks a backup and restores it. */
export async function restore(url: string, store: BackupStore, name: string, keyring = testKeyring) {
  const source = { name, open: () => store.read(name) };
  const { manifest } = await verifyArchive(source, { keyring });
  return restoreArchive({ url, keyring, log, onProgress: () => undefined }, source, manifest);
}

/** The files with a valid signature, newest first. */
export const verifiedIn = async (store: BackupStore, keyring = testKeyring) =>
  (await readCatalogue(store, keyring)).verified;

/** The reason why each of the other files is not verified, by file name. */
export const unverifiedIn = async (store: BackupStore, keyring = testKeyring) =>
  Object.fromEntries((await readCatalogue(store, keyring)).unverified.map(({ name, why }) => [name, why]));
