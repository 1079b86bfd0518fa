import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { archiveName } from '../../src/backups/archive-name.ts';
import { openBackupStore } from '../../src/backups/open-backup-store.ts';
import { createLog } from '../../src/shared/log.ts';

/** A process that writes into the store of its arguments until it is killed or a write fails. */
const [dir = '', url = ''] = process.argv.slice(2);
// Without this handler the file size limit would end the process instead of failing the write.
process.on('SIGXFSZ', () => undefined);
const store = await openBackupStore(url === '' ? { dir, url: null } : { dir: null, url }, createLog('silent'));
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
