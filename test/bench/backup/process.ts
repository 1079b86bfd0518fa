import { randomBytes, randomUUID } from 'node:crypto';
import { openBackupStore } from '../../../src/backups/open-backup-store.ts';
import { type BackupSummary, writeBackup } from '../../../src/backups/write-backup.ts';
import { createKeyring } from '../../../src/secrets/keyring.ts';
import { createLog } from '../../../src/shared/log.ts';

/** The result of a backup in a separate process. */
export interface BackupResult {
  summary: BackupSummary;
  idleRssBytes: number;
  peakRssBytes: number;
}

const [url = '', dir = '', encrypt = ''] = process.argv.slice(2);
const keyring = createKeyring(randomBytes(32));
const idleRssBytes = process.memoryUsage.rss();
const log = createLog('warn');
const summary = await writeBackup(
  {
    database: { url },
    store: await openBackupStore({ dir, url: null }, log),
    keyring,
    encrypt: encrypt === 'true',
    log,
  },
  { id: randomUUID(), signal: new AbortController().signal, onProgress: () => undefined },
);
// maxRSS is in kilobytes.
const peakRssBytes = process.resourceUsage().maxRSS * 1024;
const result: BackupResult = { summary, idleRssBytes, peakRssBytes };
process.stdout.write(JSON.stringify(result));
