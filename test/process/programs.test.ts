import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest, type Consumer, consumerForTest } from '../support/consumer.ts';
import { processTree, stillRunning } from '../support/descendants.ts';
import { sharedServers, startedFolder, startWholeGateway, type WholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest, spawnGateway } from '../support/gateway-process.ts';
import { kill } from '../support/kill.ts';
import { ownPort } from '../support/own-servers.ts';
import { prioritiesOf } from '../support/proc-stat.ts';
import { randomSecretsKey } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { withoutBusyLines } from '../support/without-busy-lines.ts';

gatewaysEndWithTheirTest('file');

/** The programs of `npm start`. */
const programs = ['api', 'worker'] as const;
const quickSchedule = Array.from({ length: 9 }, () => '50ms').join(',');

let gateway: WholeGateway;
/** Shared by the tests that need no settings of their own: each leaves it running, except the last one. */
beforeAll(async () => {
  gateway = await startWholeGateway(await startedFolder(), {
    ...(await sharedServers()),
    LOG_LEVEL: 'info',
    DELIVERY_SCHEDULE: quickSchedule,
    EVENT_WORKFLOWS: 'always',
  });
});

async function consumed(gateway: WholeGateway, ...replies: Consumer['replies']) {
  const { consumer, account } = await accountForTest(gateway.admin, ...replies);
  return { consumer, account };
}

/** Sends a webhook, again while no api listens, as a provider does. Returns the id of its event. */
const accepted = (
  gateway: WholeGateway,
  account: { provider: string; account_slug: string },
  id: string,
): Promise<string> =>
  until(
    `the webhook ${id} is accepted`,
    async () => {
      const { status, body } = await send(gateway.baseUrl, account, JSON.stringify({ id }));
      expect(status).toBe(202);
      return body.id as string;
    },
    { retryErrors: true },
  );

/**
 * Ends a program by `end`, waits until npm start has started it again, and until the api is ready.
 *
 * @returns what the log says about its end
 */
async function startedAgain(gateway: WholeGateway, name: (typeof programs)[number], end: (pid: number) => void) {
  const before = gateway.program(name);
  if (before === null) throw new Error(`there is no ${name}`);
  const from = gateway.stderr().length;
  const told = () => gateway.stderr().slice(from);
  end(before);
  await until(`there is another ${name}`, () =>
    new RegExp(`"process":"${name}","pid":\\d+,"msg":"child process restarted"`).test(told()),
  );
  expect(gateway.program(name)).not.toBe(before);
  await until('the api is ready', async () => (await fetch(`${gateway.baseUrl}/health/ready`)).ok, {
    retryErrors: true,
  });
  return new RegExp(`"process":"${name}","how":"([^"]+)"`).exec(told())?.[1];
}

const isDelivered = (event: { delivery_status: string; status: string; workflow: unknown }) =>
  event.delivery_status === 'delivered' && event.status === 'enqueued' && event.workflow !== null;

test('api and worker are programs with their own settings, the worker with the priority of Temporal', async () => {
  // A variable for other servers, of which its own knows nothing.
  const gateway = await startWholeGateway(await startedFolder(), {
    ...{ PGSSLMODE: 'require', DELIVERY_TIMEOUT: '7s' },
    TEMPORAL_UI_URL: 'https://temporal.gateway.test/',
  });
  const usual = getPriority();
  const [api, worker] = programs.map((name) => gateway.program(name) ?? 0);
  expect(prioritiesOf(worker ?? 0)).toEqual([usual + 5]);
  expect(prioritiesOf(gateway.server('temporal'))).toEqual([usual + 5]);
  expect(getPriority(gateway.server('postgres'))).toBe(usual);
  for (const pid of [api ?? 0, gateway.pid]) expect(prioritiesOf(pid)).toEqual([usual]);
  // No setting, and so no secret, is in their command lines.
  for (const name of programs) {
    const words = readFileSync(`/proc/${gateway.program(name)}/cmdline`, 'utf8').split('\0');
    expect(words.slice(words.indexOf(name))).toEqual([name, gateway.dataDir, '']);
  }

  const answer = await gateway.admin.request('GET', '/admin/settings');
  expect(answer.body.role).toBe('all');
  const of = (name: string) => answer.body.settings.find((setting: { name: string }) => setting.name === name);
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRETS_KEY', 'ADMIN_TOKEN'])
    expect(of(name)).toMatchObject({ value: null, source: 'generated' });
  expect(of('DELIVERY_TIMEOUT')).toMatchObject({ value: '7s', source: 'environment' });
  expect(of('TEMPORAL_UI_URL')).toMatchObject({ value: 'https://temporal.gateway.test/', source: 'environment' });
  expect(gateway.webUiUrl).toBe('https://temporal.gateway.test');
  expect(of('ACCOUNT_CONCURRENCY')).toMatchObject({ value: '64', source: 'default' });
  expect(of('DELIVERY_ALLOWED_NETWORKS')).toMatchObject({ value: '127.0.0.0/8,::1/128', source: 'default' });
  expect(of('SHUTDOWN_DRAIN')).toMatchObject({ value: '0s', source: 'default' });
  expect(of('BACKUP_DIR')).toMatchObject({ value: join(gateway.dataDir, 'backups'), source: 'default' });
  expect(of('PUBLIC_URL')).toMatchObject({ value: null, source: 'none' });
  expect(JSON.stringify(answer.body)).not.toContain(gateway.adminToken);

  const { account } = await consumed(gateway);
  const { workflow } = await gateway.admin.eventually(await accepted(gateway, account, 'one'), isDelivered);
  expect(workflow.url).toMatch(/^https:\/\/temporal\.gateway\.test\/namespaces\/default\/workflows\//);
  expect(await gateway.stop('SIGINT')).toEqual({ code: 0, signal: null });
});

test.each(programs)(
  'the %s is killed in the middle of deliveries: it is started again, and every event arrives',
  async (name) => {
    const { consumer, account } = await consumed(gateway);
    const sent = Array.from({ length: 60 }, (_, n) => accepted(gateway, account, `event-${n}`));
    await until('some are delivered', () => consumer.deliveries.length > 10);
    const again = startedAgain(gateway, name, kill);
    const ids = await Promise.all([...sent, accepted(gateway, account, 'meanwhile')]);
    expect(await again).toBe('ended by SIGKILL');
    for (const id of ids) await gateway.admin.eventually(id, isDelivered);
    expect(new Set(consumer.deliveries.map((d) => d.headers['webhook-id']))).toEqual(new Set(ids));
  },
);

test.each(programs)('a signal to the %s alone: it stops gracefully, and is started again', async (name) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const how = await startedAgain(gateway, name, (pid) => process.kill(pid, signal));
    expect([signal, how]).toEqual([signal, 'ended with code 0']);
  }
  const { account, consumer } = await consumed(gateway, 500, 200);
  const event = await gateway.admin.eventually(await accepted(gateway, account, 'one'), isDelivered);
  expect([event.attempts, consumer.deliveries.length]).toEqual([2, 2]);
});

test('after restarts of both, notifications link to the port that the api has kept', async () => {
  const { account } = await consumed(gateway, 500);
  const destination = await consumerForTest();
  const { status } = await gateway.admin.request('POST', `/admin/accounts/${account.id}/destinations`, {
    ...{ name: 'd', destination_type: 'webhook', config: { url: destination.url }, enabled: true },
  });
  expect(status).toBe(201);
  const id = await accepted(gateway, account, 'fails');
  const [notice] = await until(
    'the notification arrives',
    () => destination.deliveries.length > 0 && destination.deliveries,
  );
  expect(JSON.parse(notice?.body.toString() ?? '').data.dashboard_url).toBe(
    `${gateway.baseUrl}/dashboard/events/${id}`,
  );
});

test('a retry in flight delays the stop, while the readiness check fails and webhooks are accepted', async () => {
  const gateway = await startWholeGateway(await startedFolder(), {
    ...(await sharedServers()),
    ...{ SHUTDOWN_DRAIN: '25s', DELIVERY_TIMEOUT: '2m', DELIVERY_SCHEDULE: quickSchedule },
  });
  const held = Promise.withResolvers<ServerResponse>();
  const { account } = await consumed(gateway, 500, (response) => held.resolve(response), 200);
  await accepted(gateway, account, 'retried');
  const retry = await held.promise;
  const stopped = gateway.stop('SIGTERM');
  await until('the readiness check fails', async () => {
    const answer = await fetch(`${gateway.baseUrl}/health/ready`);
    return answer.status === 503 && (await answer.text()).includes('"stopping"');
  });
  expect(gateway.program('worker')).not.toBeNull();
  expect((await send(gateway.baseUrl, account, '{"id":"late"}')).status).toBe(202);
  retry.writeHead(200).end();
  expect(await stopped).toEqual({ code: 0, signal: null });
});

test('what api and worker log is in the log of the gateway, at its level', async () => {
  const { account } = await consumed(gateway, 500, 200);
  const id = await accepted(gateway, account, 'one');
  const [line] = await gateway.printed(new RegExp(`^.*"eventId":"${id}".*"responseCode":200.*$`, 'm'), 'stderr');
  expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'attempt' });
  const lines = gateway
    .stderr()
    .split('\n')
    .filter((one) => one.includes(`"eventId":"${id}"`) && one.includes('"msg":"attempt"'));
  // Made by the api, and by the workflow in the worker.
  expect(lines.map((one) => JSON.parse(one).responseCode)).toEqual([500, 200]);
});

test('an error that ends the start of both programs is shown once', async () => {
  const folder = await startedFolder();
  const gateway = spawnGateway('all', {
    // With a port that is known, both are started at the same time.
    ...{ PORT: String(await ownPort()), DATA_DIR: folder },
    SECRETS_KEY: randomSecretsKey().toString('base64'),
  });
  expect(await gateway.exited).toEqual({ code: 1, signal: null });
  expect(withoutBusyLines(gateway.stderr())).toMatch(/^\n[^{]*SECRETS_KEY[^{]*\n$/s);
  expect(gateway.stderr().match(/SECRETS_KEY is not the key/g)).toHaveLength(1);
  expect(gateway.stdout()).not.toContain('is up');
});

test('a gateway that is killed leaves no program', async () => {
  const tree = processTree(gateway.pid);
  expect(tree.length).toBeGreaterThan(programs.length);
  await gateway.stop('SIGKILL');
  await until('no process is left', () => stillRunning(tree).length === 0);
});
