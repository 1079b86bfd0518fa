import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { archiveName } from '../../src/backups/archive-name.ts';
import { openBackupStore } from '../../src/backups/open-backup-store.ts';
import { createLog } from '../../src/shared/log.ts';

/**
 * A process that writes into the store of its arguments until it is killed or a write fails. After as many bytes as the
 * third argument says, it writes nothing more and waits.
 */
const [dir = '', url = '', mostBytes = 'Infinity'] = process.argv.slice(2);
const chunkBytes = 256 * 1024;
// Without this handler the file size limit would end the process instead of failing the write.
process.on('SIGXFSZ', () => undefined);
const store = await openBackupStore(url === '' ? { dir, url: null } : { dir: null, url }, createLog('silent'));
async function* content() {
  for (let bytes = 0; bytes < Number(mostBytes); bytes += chunkBytes) {
    yield randomBytes(chunkBytes);
    await sleep(2);
  }
  for (;;) await sleep(60_000);
}
const name = archiveName(new Date(), randomUUID());
await store.write(name, Readable.from(content()), new AbortController().signal).catch((error: Error) => {
  console.log(`${error.name}: ${error.message}`);
});
store.close();
