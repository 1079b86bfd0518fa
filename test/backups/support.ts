import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { restoreArchive } from '../../src/backups/restore.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { type BackupOptions, writeBackup } from '../../src/backups/write-backup.ts';
import { createLog, type Log } from '../../src/log.ts';

const log = createLog('silent');

/** A folder that is removed after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const folderStore = () => openDirectoryStore(join(testFolder(), 'backups'));

export const neverAborted = new AbortController().signal;

/** Makes a backup, with what a test wants otherwise. */
export const backUp = (url: string, store: BackupStore, options: Partial<BackupOptions> & { log?: Log } = {}) =>
  writeBackup(
    { database: { url }, store, log: options.log ?? log },
    { id: randomUUID(), signal: neverAborted, onProgress: () => undefined, ...options },
  );

/** Checks a backup and restores it. */
export async function restore(url: string, store: BackupStore, name: string) {
  const source = { name, open: () => store.read(name) };
  const manifest = await verifyArchive(source);
  return restoreArchive({ url, log, onProgress: () => undefined }, source, manifest);
}
