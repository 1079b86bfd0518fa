import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/admin-client.ts';
import { auditTrail } from '../support/audit-trail.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';

// The admin API of a pause. For its effect on deliveries, see test/e2e/pause*.test.ts.

let entries: ReturnType<typeof auditTrail>;
const consumer = useConsumer();
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  entries = auditTrail(gateway.database);
});
afterEach(() => resume());

const pause = (body?: unknown) => gateway.admin.post('/admin/delivery/pause', body);
const resume = (body?: unknown) => gateway.admin.post('/admin/delivery/resume', body);
const shown = async () => (await gateway.admin.request('GET', '/admin/delivery/stats')).body.paused;
const stored = async () => {
  const [row] = await gateway.rows(`select value from gateway_settings where key = 'delivery_paused'`);
  return row ? JSON.parse(row.value.toString('utf8')) : null;
};
const going = { paused: false, since: null, reason: null };
const times = (count: number, make: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, make));

test('a pause and its end are answered, stored and shown in the statistics', async () => {
  expect(await shown()).toBeNull();
  const before = Date.now();
  const { status, body } = await pause({ reason: 'the shop moves' });
  expect([status, body]).toEqual([200, { paused: true, since: expect.any(String), reason: 'the shop moves' }]);
  expect(Date.parse(body.since)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(body.since)).toBeLessThanOrEqual(Date.now());
  expect(await shown()).toEqual({ since: body.since, reason: 'the shop moves' });
  expect(await stored()).toEqual({ since: body.since, reason: 'the shop moves' });
  expect(await resume()).toMatchObject({ status: 200, body: going });
  expect(await shown()).toBeNull();
  expect(await stored()).toBeNull();
});

test.each([[undefined], [{}], [{ reason: '' }]])('%j gives no reason', async (body) => {
  const answer = await pause(body);
  expect(answer).toMatchObject({ status: 200, body: { paused: true, reason: null } });
  expect(await shown()).toEqual({ since: answer.body.since, reason: null });
});

test('a reason may have 200 characters of any script, and is kept unchanged', async () => {
  const reason = `"Umzug" – 引越し \n${'x'.repeat(200)}`.slice(0, 200);
  expect((await pause({ reason })).body.reason).toBe(reason);
  expect((await shown()).reason).toBe(reason);
});

test('a second pause keeps the time and the reason of the first', async () => {
  const first = await pause({ reason: 'first' });
  const second = await pause({ reason: 'second' });
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect((await pause()).body).toEqual(first.body);
});

test('resuming without a pause changes nothing, and a later pause has a new time', async () => {
  expect(await resume()).toMatchObject({ status: 200, body: going });
  const first = await pause({ reason: 'first' });
  await resume();
  expect(await resume({})).toMatchObject({ status: 200, body: going });
  const second = await pause({ reason: 'second' });
  expect(second.body.reason).toBe('second');
  expect(Date.parse(second.body.since)).toBeGreaterThanOrEqual(Date.parse(first.body.since));
});

test('concurrent pauses are all answered with the same pause', async () => {
  let n = 0;
  const answers = await times(20, () => pause({ reason: `reason ${n++}` }));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const since = await shown();
  for (const { body } of answers) expect(body).toEqual({ paused: true, ...since });
});

test('of several concurrent resumptions, one has an effect', async () => {
  await pause();
  await entries();
  const answers = await times(20, () => resume());
  for (const { status, body } of answers) expect([status, body]).toEqual([200, going]);
  const resumed = (await entries()).map(({ details }) => details.resumed);
  expect(resumed.toSorted()).toEqual([...Array(19).fill(false), true]);
});

test('concurrent pauses and resumptions are all answered, and leave a valid state', async () => {
  let n = 0;
  const answers = await times(30, () => (n++ % 2 === 0 ? pause({ reason: `reason ${n}` }) : resume()));
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  const last = await shown();
  if (last !== null) expect(last.reason).toMatch(/^reason \d+$/);
});

test('each call has one audit entry with its result', async () => {
  await entries();
  const first = await pause({ reason: 'why' });
  await pause({ reason: 'again' });
  await resume();
  await resume();
  const { since } = first.body;
  expect((await entries()).map(({ actor, action, details }) => ({ actor, action, details }))).toEqual([
    { actor: 'tester', action: 'delivery.pause', details: { status: 200, since, reason: 'why' } },
    { actor: 'tester', action: 'delivery.pause', details: { status: 200, since, reason: 'why' } },
    { actor: 'tester', action: 'delivery.resume', details: { status: 200, resumed: true } },
    { actor: 'tester', action: 'delivery.resume', details: { status: 200, resumed: false } },
  ]);
});

test.each([
  ['reason', { reason: 'x'.repeat(201) }],
  ['reason', { reason: 5 }],
  ['reason', { reason: null }],
  ['reason', { reason: 'a\0b' }],
  ['reason', { reason: '\ud800' }],
  ['until', { until: 'tomorrow' }],
  ['', ['reason']],
  ['', 'reason'],
])('422 at the path %j for the body %j', async (path, body) => {
  const answer = await pause(body);
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid' } });
  expect(JSON.stringify(answer.body.errors)).toContain(path);
  expect(await shown()).toBeNull();
});

test('an unknown body or query is 422, and the pause remains', async () => {
  await pause();
  expect(await resume({ reason: 'x' })).toMatchObject({ status: 422, body: { code: 'invalid' } });
  for (const name of ['pause', 'resume'])
    expect(await gateway.admin.post(`/admin/delivery/${name}?now=1`)).toMatchObject({ status: 422 });
  expect(await shown()).not.toBeNull();
});

test('pause and resume without a token are 401', async () => {
  for (const name of ['pause', 'resume'])
    expect((await fetch(`${gateway.baseUrl}/admin/delivery/${name}`, { method: 'POST' })).status).toBe(401);
  expect(await shown()).toBeNull();
});

describe('while deliveries are paused', () => {
  async function pending() {
    const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
    const answer = await gateway.send(account, '{"id":"one"}');
    expect(answer.status).toBe(202);
    return { account, id: answer.body.id as string };
  }
  const commands = (id: string) =>
    gateway.rows('select kind from event_commands where event_id = $1 order by id', [id]);

  test('a retry is answered 409 with the reason, and leaves no command', async () => {
    const { id } = await pending();
    await pause();
    const answer = await gateway.admin.post(`/admin/delivery/retry/${id}`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(answer.body.detail).toBe('deliveries are paused; resume them first (POST /admin/delivery/resume)');
    expect(await commands(id)).toEqual([]);
    await resume();
    expect((await gateway.admin.post(`/admin/delivery/retry/${id}`)).status).toBe(202);
    expect(await commands(id)).toEqual([{ kind: 'retry' }]);
  });

  test('a retry that is impossible for another reason is refused with that reason', async () => {
    const { account, id } = await pending();
    await pause();
    await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { enabled: false });
    const disabled = await gateway.admin.post(`/admin/delivery/retry/${id}`);
    expect(disabled).toMatchObject({ status: 409, body: { detail: expect.stringContaining('disabled') } });
    await gateway.admin.post(`/admin/events/${id}/fail`, { dead: true });
    expect((await gateway.admin.post(`/admin/delivery/retry/${id}`)).body.code).toBe('event_dead');
  });

  test('replay, ack and fail work', async () => {
    const { id } = await pending();
    await pause();
    expect(await gateway.admin.post(`/admin/events/${id}/fail`, { error: 'lost' })).toMatchObject({
      status: 200,
      body: { status: 'failed', delivery_status: 'pending' },
    });
    expect(await gateway.admin.post('/admin/events/replay-failed')).toMatchObject({ status: 202 });
    expect(await gateway.admin.post(`/admin/events/${id}/replay`)).toMatchObject({
      status: 202,
      body: { delivery_status: 'pending', generation: 2 },
    });
    expect(await gateway.admin.post(`/admin/events/${id}/ack`)).toMatchObject({
      status: 200,
      body: { status: 'processed', delivery_status: 'delivered' },
    });
  });

  test('a test delivery and the test of a destination are sent, because an operator asks for exactly that', async () => {
    const { account } = await pending();
    const destination = await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, {
      destination_type: 'webhook',
      name: 'hook',
      config: { url: consumer.url },
    });
    await pause();
    const before = consumer.deliveries.length;
    const tests = ['test-delivery', `destinations/${destination.body.id}/test`];
    for (const path of tests)
      expect((await gateway.admin.post(`/admin/accounts/${account.id}/${path}`)).status).toBe(200);
    expect(consumer.deliveries).toHaveLength(before + 2);
  });
});
