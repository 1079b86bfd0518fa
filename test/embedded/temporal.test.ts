import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { type DataDir, openDataDir } from '../../src/embedded/data-dir.ts';
import { commandOf } from '../../src/embedded/os-process.ts';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { defaultCacheDir, findTemporalProgram } from '../../src/embedded/temporal-program.ts';
import { kill } from '../support/kill.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import {
  leftovers,
  log,
  onProgress,
  otherGateway,
  releasedAfterTest,
  startErrorOf,
  takePort,
  temporaryFolder,
} from './helpers.ts';

const namespace = 'webhooks';
const uiPort = 8233;
const machine = { cacheHome: process.env.XDG_CACHE_HOME ?? null, home: process.env.HOME ?? null };
const program = await findTemporalProgram({ path: '', cacheDir: defaultCacheDir(machine), onProgress });

const openedDataDir = (folder = temporaryFolder()) => releasedAfterTest(openDataDir(folder));
const started = async (dataDir: DataDir, ns = namespace, retentionHours = 72) =>
  await forTest(startTemporal({ dataDir, program, namespace: ns, uiPort, retentionHours, log }));

function clientOf(address: string, ns = namespace): Client {
  const connection = Connection.lazy({ address });
  onTestFinished(() => connection.close());
  return new Client({ connection, namespace: ns });
}

async function retentionHours(address: string): Promise<number> {
  const client = clientOf(address);
  const description = await until(
    'the namespace is there',
    () => client.workflowService.describeNamespace({ namespace }),
    { retryErrors: true },
  );
  return Number(description.config?.workflowExecutionRetentionTtl?.seconds) / 3_600;
}

const startWorkflow = (address: string, workflowId: string, ns = namespace) =>
  until(
    'a workflow is started',
    () => clientOf(address, ns).workflow.start('nobodyRunsIt', { workflowId, taskQueue: 'none' }),
    { retryErrors: true },
  );
const statusOf = (address: string, workflowId: string, ns = namespace) =>
  until(
    'the workflow has a status',
    async () => (await clientOf(address, ns).workflow.getHandle(workflowId).describe()).status.name,
    { retryErrors: true },
  );

test('the namespace keeps closed workflows for as long as was asked, and the second start finds all data', async () => {
  const dataDir = openedDataDir();
  const first = await started(dataDir);
  expect(await retentionHours(first.address)).toBe(72);
  await startWorkflow(first.address, 'kept');
  const ui = await until('the Web UI answers', () => fetch(first.uiUrl), { retryErrors: true });
  expect(ui.status).toBe(200);
  await first.stop();
  await first.stop();
  expect(first.pid()).toBeNull();
  expect(leftovers(dataDir.path)).toEqual([]);

  const second = await started(dataDir, namespace, 1);
  expect(await statusOf(second.address, 'kept')).toBe('RUNNING');
  expect(await retentionHours(second.address)).toBe(1);
});

test('a killed server is restarted on the same ports with its workflows', async () => {
  const server = await started(openedDataDir());
  await startWorkflow(server.address, 'kept');
  for (let death = 0; death < 3; death += 1) {
    const pid = await until('the server runs', () => server.pid());
    process.kill(pid, 'SIGKILL');
    await until('the server is restarted', () => server.pid() !== null && server.pid() !== pid);
    expect(await statusOf(server.address, 'kept')).toBe('RUNNING');
    expect((await until('the Web UI answers', () => fetch(server.uiUrl), { retryErrors: true })).status).toBe(200);
  }
  expect(await retentionHours(server.address)).toBe(72);
});

test('a stop during a restart leaves no process', async () => {
  const dataDir = openedDataDir();
  const server = await started(dataDir);
  kill(server.pid());
  await sleep(30);
  await server.stop();
  await sleep(500);
  expect(leftovers(dataDir.path)).toEqual([]);
});

test('if ports are taken, other ports are used', async () => {
  // Taken by this test, or already by another process.
  await Promise.all([takePort(7233), takePort(uiPort)]);
  const server = await started(openedDataDir());
  expect(server.address).not.toBe('127.0.0.1:7233');
  expect(server.uiUrl).not.toBe(`http://127.0.0.1:${uiPort}`);
  expect((await until('the Web UI answers', () => fetch(server.uiUrl), { retryErrors: true })).status).toBe(200);
});

test('servers that start at the same moment get different ports', async () => {
  const servers = await Promise.all([openedDataDir(), openedDataDir(), openedDataDir()].map((dir) => started(dir)));
  expect(new Set(servers.map((server) => server.address)).size).toBe(3);
  expect(new Set(servers.map((server) => server.uiUrl)).size).toBe(3);
});

test('a port that was taken, and let go before it is looked at, is tried again', async () => {
  const folder = temporaryFolder();
  const failsOnce = join(folder, 'temporal');
  const said = '{"level":"FATAL","msg":"listen tcp 127.0.0.1:8233: bind: address already in use"}';
  writeFileSync(
    failsOnce,
    `#!/bin/sh\n[ -e ${folder}/tried ] && exec ${program} "$@"\ntouch ${folder}/tried\necho '${said}'\nexit 1\n`,
    { mode: 0o755 },
  );
  const dataDir = openedDataDir();
  await forTest(startTemporal({ dataDir, program: failsOnce, namespace, uiPort, retentionHours: 72, log }));
});

test('the server of a killed gateway is taken over', async () => {
  const folder = temporaryFolder();
  const other = await otherGateway(folder, 'temporal');
  await startWorkflow(other.address, 'kept', 'default');
  process.kill(-other.pid, 'SIGINT');
  await sleep(500);
  expect(await statusOf(other.address, 'kept', 'default')).toBe('RUNNING');

  process.kill(other.pid, 'SIGKILL');
  const dataDir = await until('the folder is free', () => openedDataDir(folder), { retryErrors: true });
  expect(await commandOf(other.temporalPid)).toContain('start-dev');
  // It would take these ports rather than its own, if another gateway has let them go since the first start.
  await Promise.all([takePort(7233), takePort(uiPort)]);
  const server = await started(dataDir, 'default');
  expect(await commandOf(other.temporalPid)).toBeNull();
  expect(server.address).toBe(other.address);
  expect(await statusOf(server.address, 'kept', 'default')).toBe('RUNNING');
});

test("another gateway's server is not touched", async () => {
  const first = await started(openedDataDir());
  const second = await started(openedDataDir());
  expect(first.pid()).not.toBeNull();
  expect(second.address).not.toBe(first.address);
});

test('a damaged file is refused with a readable message', async () => {
  const dataDir = openedDataDir();
  const first = await started(dataDir);
  await first.stop();
  for (const suffix of ['-wal', '-shm']) rmSync(join(dataDir.path, `temporal.db${suffix}`), { force: true });
  writeFileSync(join(dataDir.path, 'temporal.db'), 'no database at all'.repeat(1000));
  const message = await startErrorOf(() => started(dataDir));
  expect(message).toContain('file is not a database');
  expect(message).toContain('move it away');
  expect(leftovers(dataDir.path)).toEqual([]);
});

test("the user's TEMPORAL_ variables do not reach the server", async () => {
  process.env.TEMPORAL_ADDRESS = '127.0.0.1:1';
  process.env.TEMPORAL_ENV = 'elsewhere';
  onTestFinished(() => {
    delete process.env.TEMPORAL_ADDRESS;
    delete process.env.TEMPORAL_ENV;
  });
  const server = await started(openedDataDir());
  expect(await retentionHours(server.address)).toBe(72);
});

test('a client that does not respond to pings is disconnected, so that it gets no more tasks', async () => {
  const { address } = await started(openedDataDir());
  const { hostname, port } = new URL(`http://${address}`);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  // The beginning of a connection of HTTP/2 (RFC 9113, section 3.4): the preface and an empty SETTINGS frame.
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  socket.resume();
  await once(socket, 'close');
});

test('lists have an index for what the Web UI and the gateway ask for, and empty attributes are in none', async () => {
  const dataDir = openedDataDir();
  const server = await started(dataDir);
  await startWorkflow(server.address, 'listed');
  const count = (query: string) => async () =>
    (await clientOf(server.address).workflow.count(query)).count === 1 || undefined;
  await until('it is in the list', count("WorkflowId = 'listed'"));
  await until('it is in none of its attributes', count("WebhookProvider is null and ExecutionStatus = 'Running'"));
  const database = new DatabaseSync(join(dataDir.path, 'temporal.db'), { readOnly: true });
  onTestFinished(() => database.close());
  const indexOf = (where: string) => {
    const query = `select * from executions_visibility where namespace_id = 'n' and ${where} and TemporalNamespaceDivision is null
      order by coalesce(close_time, '9999-12-31 23:59:59+00:00') desc, start_time desc, run_id limit 100`;
    const plan = database.prepare(`explain query plan ${query}`).all();
    expect(plan).toHaveLength(1);
    return /INDEX (\w+) \(namespace_id=/.exec(String(plan[0]?.detail))?.[1];
  };
  const wanted = {
    true: 'default_idx',
    "workflow_id = 'w'": 'by_workflow_id',
    "workflow_type_name = 'deliverEvent'": 'by_workflow_type',
    'status = 1': 'by_status',
    "parent_workflow_id = 'w'": 'by_parent_workflow_id',
    "root_workflow_id = 'w'": 'by_root_workflow_id',
    "TemporalScheduledById = 's'": 'by_temporal_scheduled_by_id',
    "TemporalWorkerDeploymentVersion = 'v'": 'by_temporal_worker_deployment_version',
    "Keyword01 = 'k'": 'by_keyword_01',
    'Int01 = 1': 'by_int_01',
  };
  expect(Object.fromEntries(Object.keys(wanted).map((where) => [where, indexOf(where)]))).toEqual(wanted);
  const ofOwn = database.prepare("select sql from sqlite_master where name = 'by_keyword_01'").all();
  expect(ofOwn.map(({ sql }) => sql)).toEqual([expect.stringMatching(/ where Keyword01 is not null$/)]);
  const names = database
    .prepare("select name from sqlite_master where type = 'index' and tbl_name = 'executions_visibility'")
    .all()
    .map(({ name }) => String(name));
  const ofCustom = names.filter((name) => /^by_(bool|datetime|double|int|keyword|task)_/.test(name));
  expect(ofCustom).toEqual(
    [1, 2, 3, 4, 5]
      .map((n) => `by_keyword_0${n}`)
      .concat('by_int_01')
      .toSorted(),
  );
});

test('a file that a server wrote without the gateway gets the same indexes before its next start', async () => {
  const dataDir = openedDataDir();
  const first = await started(dataDir);
  await startWorkflow(first.address, 'kept');
  await first.stop();
  const file = join(dataDir.path, 'temporal.db');
  const indexes = () => {
    const database = new DatabaseSync(file);
    const rows = database.prepare("select name, sql from sqlite_master where type = 'index' order by name").all();
    database.close();
    return rows;
  };
  const reduced = indexes();
  const database = new DatabaseSync(file);
  database.exec(`drop index by_keyword_01;
    create index by_keyword_01 on executions_visibility (namespace_id, Keyword01, start_time desc);
    create index by_task_queue on executions_visibility (namespace_id, task_queue)`);
  database.close();
  expect(indexes()).not.toEqual(reduced);
  const second = await started(dataDir);
  expect(await statusOf(second.address, 'kept')).toBe('RUNNING');
  expect(indexes().map(({ name }) => name)).toEqual(reduced.map(({ name }) => name));
  const ofKeyword = indexes().find(({ name }) => name === 'by_keyword_01');
  expect(ofKeyword?.sql).toMatch(/, start_time desc\) where Keyword01 is not null$/);
});
