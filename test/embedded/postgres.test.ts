import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type DataDir, openDataDir } from '../../src/embedded/data-dir.ts';
import { commandOf, pidsWhere } from '../../src/embedded/os-process.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { kill } from '../support/kill.ts';
import { lacks } from '../support/may-skip/list.ts';
import { copyPrepared } from '../support/prepared.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import {
  leftovers,
  log,
  onProgress,
  otherGateway,
  query,
  releasedAfterTest,
  startErrorOf,
  takePort,
  temporaryFolder,
} from './helpers.ts';

/** The uid of the unprivileged user `nobody`, which every system has. */
const nobody = 65534;
const openedDataDir = (folder = temporaryFolder()) => releasedAfterTest(openDataDir(folder));
/** A data folder as after a first start. Only tests of the first start create the database themselves. */
async function preparedFolder(): Promise<string> {
  const folder = temporaryFolder();
  await copyPrepared('migrated', folder);
  return folder;
}
const preparedDataDir = async () => openedDataDir(await preparedFolder());
const started = async (dataDir: DataDir) => forTest(startPostgres({ dataDir, log, onProgress }));
const clusterPath = (folder: string) => join(folder, 'postgres', 'data');
const clusterOf = (dataDir: DataDir) => clusterPath(dataDir.path);

test('the first start creates a durable database, and the second uses it on the same port', async () => {
  const dataDir = openedDataDir();
  const first = await started(dataDir);
  for (const [setting, value] of Object.entries({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    server_encoding: 'UTF8',
    listen_addresses: '127.0.0.1',
    password_encryption: 'scram-sha-256',
  })) {
    expect([setting, await query(first.url, `SHOW ${setting}`)]).toEqual([setting, value]);
  }
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();
  await first.stop();
  expect(first.pid()).toBeNull();
  expect(leftovers(dataDir.path)).toEqual([]);

  const second = await started(dataDir);
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'SELECT answer FROM kept')).toBe(42);
});

test('a connection without the password is refused', async () => {
  const server = await started(await preparedDataDir());
  const url = new URL(server.url);
  url.password = 'wrong';
  await expect(query(url.href, 'SELECT 1')).rejects.toThrow('password');
});

test('a killed server is restarted on the same port with its data, each time', async () => {
  const server = await started(await preparedDataDir());
  await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  for (let death = 0; death < 3; death += 1) {
    const pid = await until('the server runs', () => server.pid());
    process.kill(pid, 'SIGKILL');
    await until('the server is restarted', () => server.pid() !== null && server.pid() !== pid);
    expect(
      await until('the database answers', () => query(server.url, 'SELECT answer FROM kept'), { retryErrors: true }),
    ).toBe(42);
  }
});

test('a stop during a restart leaves no process', async () => {
  const dataDir = await preparedDataDir();
  const server = await started(dataDir);
  kill(server.pid());
  await sleep(30);
  await server.stop();
  await sleep(500);
  expect(leftovers(dataDir.path)).toEqual([]);
});

test('if its port is taken, the next start uses another port', async () => {
  const dataDir = await preparedDataDir();
  const first = await started(dataDir);
  await first.stop();
  const port = Number(new URL(first.url).port);
  // Taken by this test, or already by another process.
  await takePort(port);
  const second = await started(dataDir);
  expect(new URL(second.url).port).not.toBe(String(port));
  expect(await query(second.url, 'SELECT 1')).toBe(1);
});

test('servers that start at the same moment get different ports', async () => {
  const servers = await Promise.all([1, 2, 3].map(async () => started(await preparedDataDir())));
  expect(new Set(servers.map((server) => new URL(server.url).port)).size).toBe(3);
});

test("a terminal's Ctrl-C does not reach the server, and the server of a killed gateway is taken over", async () => {
  const folder = await preparedFolder();
  const other = await otherGateway(folder, 'postgres');
  await query(other.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  process.kill(-other.pid, 'SIGINT');
  await sleep(500);
  expect(await query(other.url, 'SELECT answer FROM kept')).toBe(42);

  process.kill(other.pid, 'SIGKILL');
  await until('the gateway has ended', async () => (await commandOf(other.pid)) === null);
  expect(await commandOf(other.postgresPid)).not.toBeNull();
  const server = await started(openedDataDir(folder));
  expect(await commandOf(other.postgresPid)).toBeNull();
  expect(server.url).toBe(other.url);
  expect(await query(server.url, 'SELECT answer FROM kept')).toBe(42);
});

test('a pid file with the pid of another program affects neither the start nor that program', async () => {
  const dataDir = await preparedDataDir();
  const first = await started(dataDir);
  await first.stop();
  writeFileSync(join(clusterOf(dataDir), 'postmaster.pid'), `${process.pid}\n${clusterOf(dataDir)}\n`);
  const second = await started(dataDir);
  expect(await query(second.url, 'SELECT 1')).toBe(1);
});

test('a pid file with the pid of another PostgreSQL affects neither of them', async () => {
  const [dataDir, other] = [await preparedDataDir(), await preparedDataDir()];
  const first = await started(dataDir);
  await first.stop();
  const running = await started(other);
  writeFileSync(join(clusterOf(dataDir), 'postmaster.pid'), `${running.pid()}\n${clusterOf(dataDir)}\n`);
  const second = await started(dataDir);
  expect(await query(second.url, 'SELECT 1')).toBe(1);
  expect(await query(running.url, 'SELECT 1')).toBe(1);
});

test('an interrupted creation of the database is repeated', async () => {
  const dataDir = openedDataDir();
  const unfinished = join(dataDir.path, 'postgres', 'new-x1');
  mkdirSync(join(unfinished, 'data'), { recursive: true });
  writeFileSync(join(unfinished, 'data', 'PG_VERSION'), '18\n');
  const server = await started(dataDir);
  expect(await query(server.url, 'SELECT 1')).toBe(1);
  expect(readdirSync(join(dataDir.path, 'postgres'))).toEqual(['data']);
});

/** Kills a gateway that creates its database. Returns its folder, or null if the database was created before. */
async function killedWhileItCreates(): Promise<string | null> {
  const folder = temporaryFolder();
  const starting = otherGateway(folder, 'postgres').catch(() => null);
  await until('the creation of the database has begun', () => readdirSync(join(folder, 'postgres')).length > 0, {
    retryErrors: true,
  });
  const [pid] = await pidsWhere((command) => command.includes('other-gateway.ts') && command.includes(folder));
  kill(pid);
  await starting;
  return existsSync(clusterPath(folder)) ? null : folder;
}

test('a gateway that is killed while it creates the database leaves a folder that starts', async () => {
  // On another folder when the kill came too late.
  const folder = await until('a gateway is killed while it creates the database', killedWhileItCreates);
  const dataDir = await until('the folder is free', () => openedDataDir(folder), { retryErrors: true });
  const server = await started(dataDir);
  expect(await query(server.url, 'SELECT 1')).toBe(1);
});

test.each([
  ['its version file is missing', (cluster: string) => rmSync(join(cluster, 'PG_VERSION')), 'PG_VERSION is missing'],
  ['it has another version', (cluster: string) => writeFileSync(join(cluster, 'PG_VERSION'), '12\n'), 'PostgreSQL 12'],
  [
    'its control file is garbage',
    (cluster: string) => writeFileSync(join(cluster, 'global', 'pg_control'), 'x'.repeat(8192)),
    'PG_CONTROL_VERSION',
  ],
  ['its control file is missing', (cluster: string) => rmSync(join(cluster, 'global', 'pg_control')), 'pg_control'],
])('a start is refused with a readable message when %s', async (_, damage, expected) => {
  const dataDir = await preparedDataDir();
  damage(clusterOf(dataDir));
  const message = await startErrorOf(() => started(dataDir));
  expect(message).toContain(expected);
  expect(message).toContain('backup');
  expect(leftovers(dataDir.path)).toEqual([]);
});

test('a start without the stored password is refused with that reason', async () => {
  const dataDir = await preparedDataDir();
  rmSync(join(dataDir.path, 'secrets', 'postgres-password'));
  expect(await startErrorOf(() => started(dataDir))).toContain('secrets/postgres-password');
  expect(leftovers(dataDir.path)).toEqual([]);
});

test.skipIf(lacks('root'))(
  'as root, a folder that the database user cannot enter is refused with its name before the start',
  async () => {
    const closed = join(temporaryFolder(), 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    const dataDir = openedDataDir(join(closed, 'data'));
    const message = await startErrorOf(() => started(dataDir));
    expect(message).toContain(`the folder ${closed},`);
    expect(message).toContain('DATA_DIR');
    expect(readdirSync(dataDir.path)).not.toContain('postgres');
  },
);

test.skipIf(lacks('root'))('an unprivileged user can start the database, and root leaves it to that user', () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  const dataDir = join(folder, 'data');
  const script = `
    import { openDataDir } from '${new URL('../../src/embedded/data-dir.ts', import.meta.url).href}';
    import { startPostgres } from '${new URL('../../src/embedded/postgres.ts', import.meta.url).href}';
    const dataDir = openDataDir('${dataDir}');
    const server = await startPostgres({ dataDir, log: { warn() {} }, onProgress() {} });
    console.log(new URL(server.url).pathname);
    await server.stop();
    dataDir.release();`;
  const asNobody = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { uid: nobody, gid: nobody }).toString();
  expect(asNobody()).toContain('/gateway');
  expect(() => openDataDir(dataDir)).toThrow(`belongs to the user ${nobody}`);
  expect(asNobody()).toContain('/gateway');
});
