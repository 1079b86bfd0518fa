import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { archiveName } from '../../src/backups/archive-name.ts';
import { openBackupStore } from '../../src/backups/open-backup-store.ts';
import { createLog } from '../../src/shared/log.ts';

/** A process that writes into the store of its arguments until somebody or something ends it. */
const [dir = '', url = ''] = process.argv.slice(2);
// Past a limit of the system the write fails, instead of the process.
process.on('SIGXFSZ', () => undefined);
const store = openBackupStore(url === '' ? { dir, url: null } : { dir: null, url }, createLog('silent'));
async function* content() {
  for (;;) {
    yield randomBytes(256 * 1024);
    await sleep(2);
  }
}
const name = archiveName(new Date(), randomUUID());
await store.write(name, Readable.from(content()), new AbortController().signal).catch((error: Error) => {
  console.log(`${error.name}: ${error.message}`);
});
store.close();
