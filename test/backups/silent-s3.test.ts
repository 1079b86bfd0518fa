import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { archiveName } from '../../src/backups/archive-name.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openS3Store } from '../../src/backups/s3-store.ts';
import { listen } from '../support/listen.ts';
import { s3Credentials } from '../support/s3-server.ts';
import { neverAborted } from './support.ts';

const silenceMs = 100;
/** Long enough for requests that must succeed on a busy machine. */
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
  // The server starts the upload of a large backup and serves one slow download; it answers nothing else.
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
  const port = await listen(server);
  url = `s3://bucket/backups?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;
  store = openS3Store(url, null, silenceMs);
});
afterEach(() => {
  store.close();
  server.closeAllConnections();
  server.close();
});

// Without a time limit they would block every later backup.
test('a bucket that does not answer fails a list', async () => {
  await expect(store.files()).rejects.toThrow(BackupError);
});

test('a bucket that does not answer fails a backup', async () => {
  const content = Readable.from([randomBytes(17 * 1024 * 1024)]);
  await expect(store.write(name, content, neverAborted)).rejects.toThrow(BackupError);
});

test('a bucket that does not answer fails a download', async () => {
  await expect(store.read(name)).rejects.toThrow(BackupError);
});

test('a download that has started may take longer, because a slow restore reads from it', async () => {
  const patient = openS3Store(url, null, patientMs);
  onTestFinished(() => patient.close());
  expect(await text(await patient.read(slow))).toBe('first last');
});
