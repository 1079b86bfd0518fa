import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { childrenOf, processTree, stillRunning } from '../support/descendants.ts';
import { sharedServers, startedFolder, startWholeGateway, type WholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, spawnGateway } from '../support/gateway-process.ts';
import { kill } from '../support/kill.ts';
import { randomSecretsKey } from '../support/secrets.ts';
import { until } from '../support/until.ts';

const timeout = 240_000;
gatewaysEndWithTheirTest('file');

let gateway: WholeGateway;
/** Shared by the tests that need no settings of their own: each leaves it running, except the last one. */
beforeAll(async () => {
  gateway = await startWholeGateway(await startedFolder(), {
    ...(await sharedServers()),
    LOG_LEVEL: 'info',
    DELIVERY_SCHEDULE: Array.from({ length: 9 }, () => '50ms').join(','),
  });
});

/** The worker process of `npm start`; null while there is none. */
const workerOf = ({ pid }: { pid: number }): number | null =>
  childrenOf(pid).find(({ command }) => command.includes('worker-process-main.ts'))?.pid ?? null;

/** The priorities of all threads of a process: the field 19 of proc_pid_stat(5). */
function priorities(pid: number): number[] {
  const stats = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'),
  );
  return [...new Set(stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])))];
}

async function sent(gateway: WholeGateway, count: number, from = 0) {
  const consumer = await consumerForTest();
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const post = async (n: number) => {
    const { status, body } = await send(gateway.baseUrl, account, JSON.stringify({ id: `event-${n}` }));
    expect(status).toBe(202);
    return body.id as string;
  };
  const ids = await Promise.all(Array.from({ length: count }, (_, n) => post(from + n)));
  return { consumer, account, ids };
}

test('the worker is a process of its own, with a lower priority than Temporal, PostgreSQL and the gateway', {
  timeout,
}, async () => {
  const gateway = await startWholeGateway(await startedFolder());
  const usual = getPriority();
  const worker = workerOf(gateway);
  expect(worker).not.toBeNull();
  expect(priorities(worker ?? 0)).toEqual([usual + 10]);
  expect(priorities(gateway.server('temporal'))).toEqual([usual + 5]);
  expect(getPriority(gateway.server('postgres'))).toBe(usual);
  expect(priorities(gateway.pid)).toEqual([usual]);
  // No setting, and so no secret, is in its command line.
  expect(readFileSync(`/proc/${worker}/cmdline`, 'utf8').split('\0').slice(2)).toEqual([gateway.dataDir, '']);
});

test('a worker that is killed in the middle of deliveries is started again, and every event arrives', {
  timeout,
}, async () => {
  const first = workerOf(gateway);
  const { consumer, account, ids } = await sent(gateway, 150);
  await until('some are delivered', () => consumer.deliveries.length > 10);
  kill(first);
  const { status, body } = await send(gateway.baseUrl, account, '{"id":"meanwhile"}');
  expect(status).toBe(202);
  await until('there is another worker', () => workerOf(gateway) !== null && workerOf(gateway) !== first);
  for (const id of [...ids, body.id])
    await gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued', 60_000);
  expect(new Set(consumer.deliveries.map((d) => d.headers['webhook-id']))).toEqual(new Set([...ids, body.id]));
  expect(gateway.stderr()).toContain('"process":"worker","how":"ended by SIGKILL"');
});

test('a signal to the worker alone changes nothing, and the gateway then stops it cleanly', { timeout }, async () => {
  const gateway = await startWholeGateway(await startedFolder(), await sharedServers());
  const worker = workerOf(gateway) ?? 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(worker, signal);
  const { ids } = await sent(gateway, 1);
  await gateway.admin.eventually(ids[0] ?? '', (e) => e.delivery_status === 'delivered');
  expect(workerOf(gateway)).toBe(worker);
  expect(await gateway.stop('SIGINT')).toEqual({ code: 0, signal: null });
  expect(gateway.stderr()).toBe('');
});

test('while a retry in flight delays the stop, the readiness check fails, and webhooks are accepted', {
  timeout,
}, async () => {
  const gateway = await startWholeGateway(await startedFolder(), {
    ...(await sharedServers()),
    ...{ SHUTDOWN_DRAIN: '2s', DELIVERY_TIMEOUT: '30s' },
    DELIVERY_SCHEDULE: Array.from({ length: 9 }, () => '50ms').join(','),
  });
  const held = Promise.withResolvers<ServerResponse>();
  const consumer = await consumerForTest(500, (response) => held.resolve(response), 200);
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  expect((await send(gateway.baseUrl, account, '{"id":"retried"}')).status).toBe(202);
  const retry = await held.promise;
  const stopped = gateway.stop('SIGTERM');
  await until('the readiness check fails', async () => {
    const answer = await fetch(`${gateway.baseUrl}/health/ready`);
    return answer.status === 503 && (await answer.text()).includes('"stopping"');
  });
  expect(workerOf(gateway)).not.toBeNull();
  expect((await send(gateway.baseUrl, account, '{"id":"late"}')).status).toBe(202);
  retry.writeHead(200).end();
  expect(await stopped).toEqual({ code: 0, signal: null });
});

test('what the worker logs is in the log of the gateway, at its level', { timeout }, async () => {
  const { ids } = await sent(gateway, 1);
  const [line] = await gateway.printed(new RegExp(`^.*"eventId":"${ids[0]}".*"msg":"attempt"\\}$`, 'm'), 'stderr');
  expect(JSON.parse(line)).toMatchObject({ level: 30, eventId: ids[0], responseCode: 200 });
});

test('an error that ends the start of the worker is shown as that of the gateway', { timeout }, async () => {
  const folder = await startedFolder();
  const gateway = spawnGateway('all', {
    ...{ PORT: '0', DATA_DIR: folder },
    SECRETS_KEY: randomSecretsKey().toString('base64'),
  });
  expect(await gateway.exited).toEqual({ code: 1, signal: null });
  expect(gateway.stderr()).toMatch(/^\n[^{]*SECRETS_KEY[^{]*\n$/s);
  expect(gateway.stdout()).not.toContain('is up');
});

test('notifications link to the port that the gateway listens on', { timeout }, async () => {
  const consumer = await consumerForTest();
  const destination = await consumerForTest();
  consumer.replies = Array.from({ length: 10 }, () => 500);
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const { status } = await gateway.admin.request('POST', `/admin/accounts/${account.id}/destinations`, {
    ...{ name: 'd', destination_type: 'webhook', config: { url: destination.url }, enabled: true },
  });
  expect(status).toBe(201);
  const { body } = await send(gateway.baseUrl, account, '{"id":"fails"}');
  const [notice] = await until(
    'the notification arrives',
    () => destination.deliveries.length > 0 && destination.deliveries,
  );
  expect(JSON.parse(notice?.body.toString() ?? '').data.dashboard_url).toBe(
    join(gateway.baseUrl, `dashboard/events/${body.id}`).replace(':/', '://'),
  );
});

test('a gateway that is killed leaves no worker', { timeout }, async () => {
  const tree = processTree(gateway.pid);
  expect(tree.length).toBeGreaterThan(1);
  await gateway.stop('SIGKILL');
  await until('no process is left', () => stillRunning(tree).length === 0);
});
