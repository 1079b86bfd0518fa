import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

/** Bounds the flood: connections, and requests on each. */
const connections = 200;
const requestsOfEach = 60;

/** Posts to addresses that do not exist, over keep-alive connections, until `stop` is called or all are sent. */
function flood(): { statuses: number[]; stop(): Promise<void> } {
  const { hostname, port } = new URL(gateway.baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses: number[] = [];
  let stopped = false;
  const post = () =>
    new Promise<number>((resolve, reject) => {
      const path = `/generic/${randomBytes(8).toString('hex')}`;
      const outgoing = request({ agent, hostname, port, path, method: 'POST' }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      outgoing.once('error', reject).end('{}');
    });
  const one = async () => {
    for (let n = 0; n < requestsOfEach && !stopped; n++) statuses.push(await post());
  };
  const all = Promise.all(Array.from({ length: connections }, one));
  return {
    statuses,
    async stop() {
      stopped = true;
      await all;
      agent.destroy();
    },
  };
}

const post = (account: { provider: string; account_slug: string }) => gateway.send(account, '{}');

test('during a flood of unknown addresses every account gets 202: cached, expired and just created', async () => {
  const [cached, expired] = [await gateway.admin.createAccount({}), await gateway.admin.createAccount({})];
  expect((await post(cached)).status).toBe(202);
  expect((await post(expired)).status).toBe(202);
  // Longer than the 2 s for which the cache keeps an entry.
  await sleep(2_100);
  expect((await post(cached)).status).toBe(202);
  const strangers = flood();
  await until('the flood is under way', () => strangers.statuses.length >= connections);
  const answers: number[] = [];
  answers.push((await post(cached)).status, (await post(expired)).status);
  for (let n = 0; n < 5; n++) {
    const made = await gateway.admin.createAccount({});
    answers.push((await post(made)).status, (await post(cached)).status);
  }
  await strangers.stop();
  expect(answers).toEqual(answers.map(() => 202));
  expect(new Set(strangers.statuses)).toEqual(new Set([404]));
});

test('a flood of unknown addresses needs far fewer statements than requests', async () => {
  const calls = async () => {
    const [row] = await gateway.rows(
      `select xact_commit::integer as n from pg_stat_database where datname = current_database()`,
    );
    return row?.n;
  };
  await sleep(1_100); // PostgreSQL reports the statistics of a connection once a second at most.
  const before = await calls();
  const strangers = flood();
  await until('5,000 requests are answered', () => strangers.statuses.length >= 5_000);
  await strangers.stop();
  await sleep(1_100);
  expect((await calls()) - before).toBeLessThan(strangers.statuses.length / 2);
});
