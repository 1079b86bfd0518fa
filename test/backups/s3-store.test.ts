import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ListMultipartUploadsCommand, ListPartsCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test as tests } from 'vitest';
import { archiveName } from '../../src/backups/archive-name.ts';
import { BackupError } from '../../src/backups/backup-error.ts';
import type { BackupStore } from '../../src/backups/backup-store.ts';
import { openBackupStore } from '../../src/backups/open-backup-store.ts';
import { parseS3Address } from '../../src/backups/s3-address.ts';
import { createLog } from '../../src/shared/log.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { lacks } from '../support/may-skip/list.ts';
import { s3StartLimitMs } from '../support/s3-program.ts';
import { type S3Server, s3Credentials, startS3 } from '../support/s3-server.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { backUp, neverAborted, restore, verifiedIn } from './support.ts';

const test = tests.skipIf(lacks('s3'));

const log = createLog('silent');
let server: S3Server;
let store: BackupStore;
let url: string;
let client: S3Client;
beforeAll(async () => {
  // AWS's library reads the credentials from these variables.
  Object.assign(process.env, s3Credentials);
  server = await startS3();
  url = `s3://${server.bucket}/of/gateway?region=us-east-1&endpoint=${encodeURIComponent(server.endpoint)}`;
  store = await openBackupStore({ dir: null, url }, log);
  client = new S3Client({ region: 'us-east-1', endpoint: server.endpoint, forcePathStyle: true });
}, s3StartLimitMs);
afterAll(async () => {
  for (const name of Object.keys(s3Credentials)) delete process.env[name];
  store.close();
  client.destroy();
  await server.stop();
});

const newName = () => archiveName(new Date(), randomUUID());
const uploads = async () =>
  (await client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }))).Uploads ?? [];
/**
 * Waits until two parts of the only upload are stored. Of 40 MiB no third one is sent: S3 may still store a part that it
 * receives while its upload is aborted, and the upload is then there again.
 */
const twoPartsStored = () =>
  until('two parts are stored', async () => {
    const [upload] = await uploads();
    if (!upload) return false;
    const { Key, UploadId } = upload;
    const { Parts = [] } = await client.send(new ListPartsCommand({ Bucket: server.bucket, Key, UploadId }));
    return Parts.length === 2;
  });
async function* megabytes(count: number) {
  for (let n = 0; n < count; n++) yield randomBytes(1024 * 1024);
}

test('a backup is uploaded, listed, downloaded, restored and deleted', async () => {
  const source = await migratedDatabase();
  const first = await backUp(source, store);
  const second = await backUp(source, store);
  await writeFile(join(server.bucketDir, 'of/gateway', newName()), 'no backup');
  expect(await verifiedIn(store)).toMatchObject([
    { name: second.name, sizeBytes: second.sizeBytes },
    { name: first.name, sizeBytes: first.sizeBytes },
  ]);
  expect(await restore(await freshDatabase(), store, first.name)).toMatchObject({ rowsByTable: first.rowsByTable });
  await store.delete(first.name);
  expect((await verifiedIn(store)).map(({ name }) => name)).toEqual([second.name]);
  await expect(store.read(first.name)).rejects.toThrow(`There is no backup '${first.name}'`);
});

test('a large backup is uploaded in parts and downloaded unchanged', async () => {
  const name = newName();
  const sent: Buffer[] = [];
  async function* kept() {
    for await (const chunk of megabytes(50)) {
      sent.push(chunk);
      yield chunk;
    }
  }
  expect(await store.write(name, Readable.from(kept()), neverAborted)).toEqual({ sizeBytes: 50 * 1024 * 1024 });
  const received: Buffer[] = [];
  for await (const chunk of await store.read(name)) received.push(chunk);
  expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true);
  expect(await uploads()).toEqual([]);
  await store.delete(name);
});

test('a failure while reading and an interruption leave neither an object nor parts', async () => {
  async function* failing() {
    yield* megabytes(40);
    await twoPartsStored();
    throw new BackupError('The database could not be read to its end.');
  }
  await expect(store.write(newName(), Readable.from(failing()), neverAborted)).rejects.toThrow(/to its end/);
  const stopping = new AbortController();
  async function* interrupted() {
    yield* megabytes(40);
    await twoPartsStored();
    stopping.abort();
    yield* megabytes(1000);
  }
  await expect(store.write(newName(), Readable.from(interrupted()), stopping.signal)).rejects.toThrow(
    'The backup was interrupted.',
  );
  await until('the parts are gone', async () => (await uploads()).length === 0);
  expect((await verifiedIn(store)).every(({ sizeBytes }) => sizeBytes < 1024 * 1024)).toBe(true);
});

test('the uploads of a killed process are not listed, and the next backup removes them', async () => {
  const before = await verifiedIn(store);
  const writer = fileURLToPath(new URL('writer.ts', import.meta.url));
  const child = spawn(process.execPath, [writer, '', url, `${40 * 1024 * 1024}`], { stdio: 'ignore' });
  await twoPartsStored();
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(await verifiedIn(store)).toEqual(before);
  expect(await uploads()).toHaveLength(1);
  await store.write(newName(), Readable.from(megabytes(1)), neverAborted);
  expect(await uploads()).toEqual([]);
  expect(await readdir(join(server.bucketDir, 'of/gateway'))).not.toEqual([]);
});

test('a refusal of the server gives an error in words, without credentials', async () => {
  const at = (text: string) => openBackupStore({ dir: null, url: text }, log);
  const endpoint = encodeURIComponent(server.endpoint);
  await expect((await at(`s3://not-there?endpoint=${endpoint}`)).files()).rejects.toThrow(
    /There is no bucket for s3:\/\/not-there/,
  );
  process.env.AWS_SECRET_ACCESS_KEY = secretText('wrong-secret-of-mine');
  const error: Error = await (await at(url))
    .files()
    .catch((thrown: Error) => thrown)
    .then((result) => (result instanceof Error ? result : new Error('it was not refused')));
  process.env.AWS_SECRET_ACCESS_KEY = s3Credentials.AWS_SECRET_ACCESS_KEY;
  expect(error.message).toMatch(/does not let this user in/);
  expect(error.message).not.toContain('wrong-secret-of-mine');
});

test('an object that cannot be read is skipped and logged; the others are listed', async () => {
  const source = await migratedDatabase();
  const first = await backUp(source, store);
  const second = await backUp(source, store);
  const user = { AWS_ACCESS_KEY_ID: 'reader', AWS_SECRET_ACCESS_KEY: secretText('reader') };
  await server.addUser(user);
  const all = `arn:aws:s3:::${server.bucket}`;
  const one = { Principal: [user.AWS_ACCESS_KEY_ID], Effect: 'Allow' };
  const Statement = [
    { ...one, Action: ['s3:ListBucket', 's3:GetObject'], Resource: [all, `${all}/*`] },
    { ...one, Action: 's3:GetObject', Resource: `${all}/of/gateway/${first.name}`, Effect: 'Deny' },
  ];
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
  await client.send(new PutBucketPolicyCommand({ Bucket: server.bucket, Policy }));

  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  Object.assign(process.env, user);
  const names = await verifiedIn(await openBackupStore({ dir: null, url }, pino({}, destination)))
    .finally(() => Object.assign(process.env, s3Credentials))
    .then((found) => found.map(({ name }) => name));
  expect(names).toContain(second.name);
  expect(names).not.toContain(first.name);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, name: first.name, place: store.place }]);
});

test('a backup that is deleted while the bucket is listed is not in the list', async () => {
  const source = await migratedDatabase();
  const { name } = await backUp(source, store);
  const before = await verifiedIn(store);
  // The object is listed, but missing when it is read.
  const gone = newName();
  await symlink(join(server.bucketDir, 'nowhere'), join(server.bucketDir, 'of/gateway', gone));
  expect(await verifiedIn(store)).toEqual(before);
  expect(before.map((backup) => backup.name)).toContain(name);
});

test('addresses', () => {
  expect(parseS3Address('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '', region: 'us-east-1', endpoint: null });
  expect(parseS3Address('s3://b/a/c/?region=eu-central-1&endpoint=http://h:9')).toEqual({
    ...{ bucket: 'b', prefix: 'a/c/', region: 'eu-central-1', endpoint: 'http://h:9' },
  });
  for (const wrong of [
    's3:///x',
    'http://bucket',
    's3://key:secret@bucket',
    's3://b?regoin=x',
    's3://b?endpoint=ftp://h',
    's3://b?endpoint=https://:secret@h',
    's3://b/%zz',
  ])
    expect(() => parseS3Address(wrong)).toThrow(BackupError);
});
