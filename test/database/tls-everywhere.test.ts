import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { restoreArchive } from '../../src/backups/restore.ts';
import { openSnapshot } from '../../src/backups/snapshot.ts';
import { verifyArchive } from '../../src/backups/verify-archive.ts';
import { migrateOnce } from '../../src/database/migrate.ts';
import { Listener } from '../../src/processes/listener.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { backUp, testKeyring } from '../backups/support.ts';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest, temporaryFolder } from '../support/gateway-process.ts';
import { fakePostgres, type RecordingServer, sslRequest } from '../support/tls/recorded-way.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();
const log = createLog('silent');
const password = 'hunter2';

let archive: { name: string; open: () => Promise<Readable> };
beforeAll(async () => {
  const store = openDirectoryStore(join(temporaryFolder('test'), 'backups'));
  const { name } = await backUp(await migratedDatabase(), store);
  archive = { name, open: () => store.read(name) };
});

const withDatabase = async (url: string, work: (database: Awaited<ReturnType<typeof openDatabase>>) => unknown) => {
  const database = await openDatabase({ url, log });
  try {
    await work(database);
  } finally {
    await database.close();
  }
};

/**
 * All code that connects to PostgreSQL. Each ends with an error if it cannot connect, or with `seen` if it retries
 * forever.
 */
const places: Record<string, (url: string, seen: () => Promise<unknown>) => Promise<unknown>> = {
  'the main pool': (url) => withDatabase(url, (database) => database.query({ name: '', text: 'select 1' }, [])),
  entities: (url) => withDatabase(url, (database) => database.orm.em.fork().execute('select 1')),
  'the readers': (url) => withDatabase(url, (database) => database.reader.query({ name: '', text: 'select 1' }, [])),
  migrations: (url) => migrateOnce(url, log),
  'a backup': (url) => openSnapshot(url, new AbortController().signal),
  async 'a restore'(url) {
    const { manifest } = await verifyArchive(archive, { keyring: testKeyring });
    await restoreArchive({ url, keyring: testKeyring, log, onProgress: () => undefined }, archive, manifest);
  },
  async 'notifications of the relay'(url, seen) {
    const listener = new Listener({ url, log, handlers: { test: () => undefined } });
    listener.start();
    await seen();
    await listener.stop();
    throw new Error('it did not connect');
  },
};

describe.each(['require', 'verify-ca', 'verify-full'])('sslmode=%s', (mode) => {
  // null: the server closes the connection. N: it has no TLS. S: it claims to have TLS, but then sends something else.
  describe.each([null, 'N', 'Sgarbage'])('a server that answers %j', (answer) => {
    let server: RecordingServer;
    beforeAll(async () => {
      server = await fakePostgres(answer);
    });
    afterAll(() => server.close());

    test.each(Object.entries(places))('%s: asks for TLS first, and sends nothing in clear text', async (_name, use) => {
      server.seen.length = 0;
      const url = server.through(
        `postgresql://someone:${password}@h/db_${randomBytes(2).toString('hex')}?sslmode=${mode}`,
      );
      const seen = () => until('it says something', () => server.seen.some(({ sent }) => sent.length > 0));
      await expect(use(url, seen)).rejects.toThrow();
      expect(server.seen.length).toBeGreaterThan(0);
      for (const { sent } of server.seen) {
        expect(sent.subarray(0, sslRequest.length)).toEqual(sslRequest);
        expect(sent.includes(password)).toBe(false);
        expect(sent.includes('someone')).toBe(false);
      }
    });
  });
});

describe('a server without TLS', () => {
  let server: RecordingServer;
  beforeEach(async () => {
    server = await fakePostgres('N');
  });
  afterEach(() => server.close());

  /**
   * The first bytes sent, after waiting for the message with the user's name. The server never asks for the password.
   */
  async function firstSent(use: (url: string, seen: () => Promise<unknown>) => Promise<unknown>, parameters: string) {
    const seen = until('the first message arrives', () => server.seen.find(({ sent }) => sent.includes('someone')));
    const url = server.through(`postgresql://someone:${password}@h/db${parameters}`);
    const failed = use(url, () => seen).catch(() => undefined);
    const { sent } = await seen;
    await server.close();
    await failed;
    expect(sent.includes(password)).toBe(false);
    return sent.subarray(0, sslRequest.length);
  }

  describe.each(Object.entries(places))('%s', (_name, use) => {
    test.each(['', '?sslmode=prefer'])('URL %j: asks for TLS, and continues without it', async (parameters) => {
      expect(await firstSent(use, parameters)).toEqual(sslRequest);
    });

    test('sslmode=disable does not ask for TLS', async () => {
      expect(await firstSent(use, '?sslmode=disable')).not.toEqual(sslRequest);
    });
  });
});
