import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAdminClient } from '../../../src/api/client.ts';
import { ConsumerCounts } from '../../../src/delivery/consumers/consumer-counts.ts';
import { latencyBucket } from '../../../src/events/latency.ts';
import { createLog } from '../../../src/shared/log.ts';
import { consumerForTest } from '../../support/consumer.ts';
import { insertConsumer } from '../../support/consumers.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../../support/use-gateway.ts';

const hourMs = 3_600_000;

const gateway = useGateway({ delaysMs: [20] });

const get = async (path: string) => (await gateway.admin.request('GET', path)).body;

interface Point {
  at: string;
  attempts: number;
  failed_attempts: number;
  delivered: number;
  exhausted: number;
  duration_ms: { p50: number | null };
}

/** The sums over the last two hours, because a test may run over the end of an hour. */
async function sums(accountId: string, consumer?: string) {
  const ofConsumer = consumer === undefined ? '' : `&consumer=${consumer}`;
  const { points } = await get(`/admin/accounts/${accountId}/consumer?hours=2${ofConsumer}`);
  const sum = (name: 'attempts' | 'failed_attempts' | 'delivered' | 'exhausted') =>
    points.reduce((total: number, point: Point) => total + point[name], 0);
  return [sum('attempts'), sum('failed_attempts'), sum('delivered'), sum('exhausted')];
}

test('each recorded attempt is counted for its account, and the accounts that fail most come first', async () => {
  const consumer = await consumerForTest(200);
  const broken = await consumerForTest(500);
  const well = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const failing = await gateway.admin.createAccount({ delivery_url: broken.url, app_key: 'failing-app' });
  const nowhere = await gateway.admin.createAccount({});
  const ids: string[] = [];
  for (const account of [well, well, failing, failing, nowhere]) ids.push((await gateway.send(account, '{}')).body.id);
  for (const id of ids) await gateway.admin.eventually(id, (event) => event.delivery_status !== 'pending');
  // Written every five seconds.
  await until('the attempts are counted', async () => String(await sums(failing.id)) === '4,4,0,2');
  await until('the attempts are counted', async () => String(await sums(nowhere.id)) === '2,2,0,1');
  await until('the attempts are counted', async () => String(await sums(well.id)) === '2,0,2,0');
  const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const { data } = await admin.delivery.accounts.get({ query: { hours: 2 } });
  expect(data?.accounts).toMatchObject([
    { account_id: failing.id, app_key: 'failing-app', deleted: false, failed_attempts: 4, exhausted: 2 },
    // There was no address, so there is no duration.
    { account_id: nowhere.id, failed_attempts: 2, duration_ms: { p50: null, p95: null, p99: null } },
  ]);
  expect(data?.accounts[0]?.duration_ms.p50).toEqual(expect.any(Number));
  await gateway.admin.request('DELETE', `/admin/accounts/${failing.id}`);
  expect((await get('/admin/delivery/accounts?hours=2&limit=1')).accounts).toMatchObject([
    { account_id: failing.id, deleted: true },
  ]);
});

test('counts of several workers and hours are added, and hours beyond 32 days are deleted', async () => {
  const account = await gateway.admin.createAccount({});
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  const attempt = (startedMs: number, durationMs: number, succeeded = true) => ({
    ...{ consumerId: account.id, startedAt: new Date(startedMs), durationMs, succeeded, exhausted: !succeeded },
  });
  await gateway.rows(`insert into account_deliveries values ($1, now() - interval '33 days', 1, 1, 1, '{}', '{}')`, [
    account.id,
  ]);
  for (let worker = 0; worker < 2; worker++) {
    const counts = new ConsumerCounts({ sql: gateway.database, log: createLog('silent') });
    for (let n = 0; n < 50; n++) counts.attempted(attempt(hour + n, 10));
    counts.attempted(attempt(hour, 5_000, false));
    counts.attempted(attempt(hour - 3 * hourMs, 10, false));
    await counts.stop();
  }
  const answer = await get(`/admin/accounts/${account.id}/consumer?hours=4`);
  expect(answer).toMatchObject({
    account_id: account.id,
    from: new Date(hour - 3 * hourMs).toISOString(),
    to: new Date(hour + hourMs).toISOString(),
  });
  const near = (ms: number) => expect.toSatisfy((value: number) => value > ms * 0.88 && value < ms * 1.12);
  expect(answer.points).toMatchObject([
    { at: answer.from, attempts: 2, failed_attempts: 2, delivered: 0, exhausted: 2, duration_ms: { p50: near(10) } },
    { attempts: 0, duration_ms: { p50: null, p95: null, p99: null } },
    { attempts: 0 },
    {
      attempts: 102,
      failed_attempts: 2,
      delivered: 100,
      exhausted: 2,
      duration_ms: { p50: near(10), p99: near(5_000) },
    },
  ]);
  const left = await gateway.rows('select hour from account_deliveries where account_id = $1', [account.id]);
  expect(left).toHaveLength(2);
});

test('the consumers of an account are counted together, or one by its name', async () => {
  const account = await gateway.admin.createAccount({});
  const made = (name: string, deleted = false) =>
    insertConsumer(gateway.database, { accountId: account.id, name, deleted });
  const [old, billing, gone] = [await made('billing', true), await made('billing'), await made('gone', true)];
  const counts = new ConsumerCounts({ sql: gateway.database, log: createLog('silent') });
  const count = (consumerId: string, attempts: number, durationMs: number, succeeded: boolean) => {
    for (let n = 0; n < attempts; n++)
      counts.attempted({ consumerId, startedAt: new Date(), durationMs, succeeded, exhausted: false });
  };
  count(account.id, 1, 10, true);
  count(billing, 20, 1_000, false);
  count(old, 100, 10, false);
  count(gone, 1_000, 10, false);
  await counts.stop();
  expect(await sums(account.id)).toEqual([1_121, 1_120, 1, 0]);
  expect(await sums(account.id, 'default')).toEqual([1, 0, 1, 0]);
  // The one that has the name now.
  expect(await sums(account.id, 'billing')).toEqual([20, 20, 0, 0]);
  const none = await gateway.admin.request('GET', `/admin/accounts/${account.id}/consumer?consumer=gone`);
  expect([none.status, none.body.code]).toEqual([404, 'not_found']);
  const near = (ms: number) => expect.toSatisfy((value: number) => value > ms * 0.88 && value < ms * 1.12);
  expect((await get('/admin/delivery/accounts?hours=2&limit=1')).accounts).toMatchObject([
    {
      account_id: account.id,
      attempts: 1_121,
      failed_attempts: 1_120,
      duration_ms: { p50: near(10), p99: near(1_000) },
    },
  ]);
});

test('a write that fails is repeated with the next one', async () => {
  const account = await gateway.admin.createAccount({});
  let fails = true;
  const log = createLog('silent');
  const counts = new ConsumerCounts({
    sql: {
      query: (statement, values) =>
        fails ? Promise.reject(new Error('gone')) : gateway.database.query(statement, values),
    },
    log,
  });
  const one = { consumerId: account.id, startedAt: new Date(), durationMs: 1, succeeded: true, exhausted: false };
  counts.attempted(one);
  await counts.stop();
  fails = false;
  counts.attempted(one);
  await counts.stop();
  expect(await sums(account.id)).toEqual([2, 0, 2, 0]);
});

test('the bucket of a duration is that of the database', async () => {
  for (const ms of [0, 0.05, 0.1, 0.11, 1, 9.99, 10, 123, 15_000, 3_600_000]) {
    const [row] = await gateway.rows('select latency_bucket(make_interval(secs => $1)) as bucket', [ms / 1000]);
    expect([ms, latencyBucket(ms)]).toEqual([ms, row?.bucket]);
  }
});

test.each([
  ['/admin/delivery/accounts?hours=745', 422],
  ['/admin/delivery/accounts?limit=101', 422],
  ['/admin/accounts/{unknown}/consumer', 404],
  ['/admin/accounts/{unknown}/consumer?hours=0', 422],
])('%s is %d', async (path, status) => {
  expect((await gateway.admin.request('GET', path.replace('{unknown}', randomUUID()))).status).toBe(status);
});
