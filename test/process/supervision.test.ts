import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { startedFolder, startWholeGateway, type WholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest('file');

let gateway: WholeGateway;
/** Shared by all tests: each leaves it running, except the last one. */
beforeAll(async () => {
  const folder = await startedFolder();
  // Other tests that start Temporal try its usual ports, and would take them while this server is dead.
  const usual = await Promise.all([takenPort(7233), takenPort(8233)]);
  gateway = await startWholeGateway(folder, { DELIVERY_SCHEDULE: '45s,1s,1s,1s,1s,1s,1s,1s,1s' });
  for (const server of usual) server?.close();
});

async function consumed() {
  const { consumer, account } = await accountForTest(gateway.admin);
  return { consumer, account };
}

/** Takes a port until the returned server is closed; null if it is already taken. */
function takenPort(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Kills the server and waits until another process has replaced it. */
async function killed(gateway: WholeGateway, name: 'postgres' | 'temporal'): Promise<void> {
  const pid = gateway.server(name);
  process.kill(pid, 'SIGKILL');
  await until(`${name} is restarted`, () => gateway.server(name) !== pid, { retryErrors: true });
}

const said = (gateway: WholeGateway) =>
  `the gateway says:\n${gateway.stderr()}\nPostgreSQL says:\n${readFileSync(join(gateway.dataDir, 'postgres.log'), 'utf8')}`;

/** Posts one webhook, repeatedly while the database is unavailable, and waits until it is delivered. */
async function delivered(gateway: WholeGateway, account: { provider: string; account_slug: string }, id: string) {
  const answer = await until(
    'a webhook is accepted',
    async () => {
      const posted = await send(gateway.baseUrl, account, JSON.stringify({ id }));
      if (posted.status !== 202) expect([posted.status, posted.body.code]).toEqual([503, 'database_unavailable']);
      if (posted.status === 202) return posted;
      throw new Error(`${said(gateway)}`);
    },
    { retryErrors: true },
  );
  const done = () => gateway.admin.event(answer.body.id);
  return until(
    'it is delivered and has its workflow',
    async () => {
      const event = await done();
      if (event.delivery_status === 'delivered' && event.status === 'enqueued' && event.workflow !== null) return event;
      throw new Error(`it is ${JSON.stringify({ ...event, headers: null })}; ${said(gateway)}`);
    },
    { retryErrors: true },
  );
}

test('when PostgreSQL, Temporal or both are killed, they are restarted, and webhooks are accepted and delivered', {
  timeout: 600_000,
}, async () => {
  const { account, consumer } = await consumed();
  const ids = [(await delivered(gateway, account, 'before')).id];
  for (const time of ['first', 'second'])
    for (const names of [['postgres'], ['temporal'], ['postgres', 'temporal']] as const) {
      await Promise.all(names.map((name) => killed(gateway, name)));
      ids.push((await delivered(gateway, account, `${time} death of ${names.join(' and ')}`)).id);
    }
  expect(gateway.isRunning()).toBe(true);
  expect(new Set(consumer.deliveries.map((d) => d.headers['webhook-id']))).toEqual(new Set(ids));
  for (const id of ids) expect((await gateway.admin.event(id)).attempts).toBe(1);
  // The gateway logged the restarts.
  expect(gateway.stderr()).toContain('child process crashed, restarting');
});

test('when another process takes the port of a killed PostgreSQL, it is restarted once the port is free', async () => {
  const { account } = await consumed();
  await delivered(gateway, account, 'before');
  const ours = Number(readFileSync(join(gateway.dataDir, 'postgres.port'), 'utf8'));
  const thief = await until(
    'the port is taken',
    async () => {
      process.kill(gateway.server('postgres'), 'SIGKILL');
      // PostgreSQL restarts within moments, so this does not sleep. If it is too late, it kills the server again.
      for (const end = Date.now() + 1_000; Date.now() < end; ) {
        const taken = await takenPort(ours);
        if (taken) return taken;
      }
      return null;
    },
    { retryErrors: true },
  );
  const log = () => readFileSync(join(gateway.dataDir, 'postgres.log'), 'utf8');
  await until('PostgreSQL finds its port taken', () => log().includes('could not bind'));
  expect((await send(gateway.baseUrl, account, '{}')).status).toBe(503);
  thief.close();
  await delivered(gateway, account, 'after');
});

test('an event that waits for its next attempt survives when both servers are killed', async () => {
  const { account, consumer } = await consumed();
  consumer.replies = [500, 200];
  const { body } = await send(gateway.baseUrl, account, '{"id":"waits"}');
  const before = await gateway.admin.eventually(body.id, (e) => e.attempts === 1 && e.workflow !== null);
  await Promise.all([killed(gateway, 'postgres'), killed(gateway, 'temporal')]);
  const event = await until(
    'it is delivered',
    async () => {
      const now = await gateway.admin.event(body.id);
      return now.delivery_status === 'delivered' && now.workflow !== null && now;
    },
    { limitMs: 200_000, retryErrors: true },
  );
  expect(event.delivery_history.map((a: { response_code: number }) => a.response_code)).toEqual([500, 200]);
  expect(event.workflow.run_id).toBe(before.workflow.run_id);
  expect(consumer.deliveries).toHaveLength(2);
});

test('after the whole gateway is killed, the next start takes over its servers and continues', async () => {
  const { account, consumer } = await consumed();
  consumer.replies = [500, 200];
  const { body } = await send(gateway.baseUrl, account, '{"id":"waits"}');
  await gateway.admin.eventually(body.id, (e) => e.attempts === 1 && e.workflow !== null);
  const left = [gateway.server('postgres'), gateway.server('temporal')];
  expect(await gateway.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });

  const next = await startWholeGateway(gateway.dataDir);
  for (const pid of left) expect([next.server('postgres'), next.server('temporal')]).not.toContain(pid);
  const event = await next.admin.eventually(body.id, (e) => e.delivery_status === 'delivered', 200_000);
  expect(event.attempts).toBe(2);
  expect(consumer.deliveries).toHaveLength(2);
});
