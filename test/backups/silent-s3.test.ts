import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { archiveName } from '../../src/backups/archive-name.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openS3Store } from '../../src/backups/s3-store.ts';
import { s3Credentials } from '../support/s3-server.ts';
import { neverAborted } from './support.ts';

const silenceMs = 100;
/** For what is to go well on a busy machine, too. */
const patientMs = 2_000;
const name = archiveName(new Date(), randomUUID());
const slow = archiveName(new Date(), randomUUID());
const uploads = '<ListMultipartUploadsResult></ListMultipartUploadsResult>';
const begun = '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>';

let server: Server;
let url: string;
let store: BackupStore;
beforeAll(() => {
  Object.assign(process.env, s3Credentials);
});
afterAll(() => {
  for (const variable of Object.keys(s3Credentials)) delete process.env[variable];
});
beforeEach(async () => {
  // It lets a large backup begin, and says nothing to anything else but one slow download.
  server = createServer((request, response) => {
    request.resume();
    const { method, url = '' } = request;
    if (method === 'GET' && url.includes('uploads')) response.end(uploads);
    else if (method === 'POST' && url.includes('uploads')) response.end(begun);
    else if (method === 'GET' && url.includes(slow)) {
      response.writeHead(200, { 'content-length': 10 }).write('first');
      setTimeout(() => response.end(' last'), 2 * patientMs);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `s3://bucket/backups?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;
  store = openS3Store(url, null, silenceMs);
});
afterEach(() => {
  store.close();
  server.closeAllConnections();
  server.close();
});

// Waiting for ever they would hold up every backup after this one.
test('a bucket that does not answer ends a list', async () => {
  await expect(store.files()).rejects.toThrow(BackupError);
});

test('and a backup', async () => {
  const content = Readable.from([randomBytes(17 * 1024 * 1024)]);
  await expect(store.write(name, content, neverAborted)).rejects.toThrow(BackupError);
});

test('and a download', async () => {
  await expect(store.read(name)).rejects.toThrow(BackupError);
});

test('but not one that has begun: it may have to wait for whoever restores from it', async () => {
  const patient = openS3Store(url, null, patientMs);
  onTestFinished(() => patient.close());
  expect(await text(await patient.read(slow))).toBe('first last');
});
