import { describe, expect, test } from 'vitest';
import { iso } from '../../consumers/support.ts';
import { accountForTest } from '../../support/consumer.ts';
import { secretText } from '../../support/secrets.ts';
import { useGateway } from '../../support/use-gateway.ts';
import { ended, ordered } from '../bulk/support.ts';

const operator = secretText('timeline-operator');
const gateway = useGateway({ adminTokens: [{ name: 'olga', token: operator, role: 'operate' }] });

const pathOf = (name: string, id: string) =>
  name === 'retry' ? `/admin/delivery/retry/${id}` : `/admin/events/${id}/${name}`;
const operate = async (name: string, id: string, body?: unknown) => {
  const answer = await gateway.admin.post(pathOf(name, id), body);
  expect([name, Math.floor(answer.status / 100)]).toEqual([name, 2]);
};

/** An event whose three attempts have failed. */
async function exhausted() {
  const { account, consumer } = await accountForTest(gateway.admin, 500);
  const { body } = await gateway.send(account, '{"id":"1"}');
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'failed');
  return { id: body.id as string, account, consumer };
}

describe('the timeline of an event', () => {
  test('keeps what operators wrote, who and when, and later attempts and actions do not change it', async () => {
    const { id, consumer } = await exhausted();
    await operate('fail', id, { error: 'the shop has lost it' });
    await operate('retry', id, { reason: 'once more by hand' });
    await gateway.admin.eventually(id, (event) => event.attempts === 4);
    await operate('replay', id, { reason: 'the shop was repaired' });
    const replayed = await gateway.admin.eventually(id, (event) => event.delivery_status === 'failed');
    // The last attempt has overwritten it.
    expect(replayed.last_error).not.toBe('the shop has lost it');
    consumer.replies = [200];
    await operate('fail', id, { dead: true, error: 'no order 4711' });
    await operate('ack', id, { reason: 'booked by hand' });
    const { actions } = await gateway.admin.event(id);
    expect(actions).toEqual(
      [
        ['fail', 0, 'the shop has lost it'],
        ['retry', 0, 'once more by hand'],
        ['replay', 1, 'the shop was repaired'],
        ['dead', 1, 'no order 4711'],
        ['ack', 1, 'booked by hand'],
      ].map(([action, generation, reason]) => ({
        ...{ at: iso, actor: 'tester', action, generation, reason, job_id: null },
      })),
    );
    const times = actions.map(({ at }: { at: string }) => at);
    expect(times).toEqual([...times].sort());
  });

  test('names the token that acted, also without a reason', async () => {
    const { id } = await exhausted();
    const headers = { 'x-admin-token': operator, 'content-type': 'application/json' };
    for (const body of [undefined, '{}', '{"reason":null}', '{"reason":"  "}'])
      expect(
        (await fetch(`${gateway.baseUrl}${pathOf('ack', id)}`, { method: 'POST', headers, body: body ?? null })).status,
      ).toBe(200);
    const { actions } = await gateway.admin.event(id);
    expect(actions).toHaveLength(4);
    for (const action of actions) expect(action).toMatchObject({ actor: 'olga', action: 'ack', reason: null });
  });

  test('has nothing of actions that were refused', async () => {
    const { id } = await exhausted();
    await operate('fail', id, { dead: true });
    expect((await gateway.admin.post(pathOf('retry', id), { reason: 'too late' })).status).toBe(409);
    expect((await gateway.admin.event(id)).actions.map(({ action }: { action: string }) => action)).toEqual(['dead']);
  });

  test('has the reason of a bulk job for each event that it has changed, and for no other', async () => {
    const [one, other] = [await exhausted(), await exhausted()];
    await operate('fail', other.id, { dead: true });
    const ids = [one.id, other.id];
    const retried = await ordered(gateway, { action: 'retry', ids, reason: 'all at once' });
    expect(retried.order_reason).toBe('all at once');
    await ended(gateway, retried.id);
    const dead = await ordered(gateway, { action: 'dead', ids: [one.id], error: 'no use' });
    expect(dead.order_reason).toBe('no use');
    await ended(gateway, dead.id);
    const common = { at: iso, actor: 'tester', generation: 0 };
    expect((await gateway.admin.event(one.id)).actions).toEqual([
      { ...common, action: 'retry', reason: 'all at once', job_id: retried.id },
      { ...common, action: 'dead', reason: 'no use', job_id: dead.id },
    ]);
    // The dead one was left out of the retries.
    expect((await gateway.admin.event(other.id)).actions).toMatchObject([{ action: 'dead', job_id: null }]);
  });

  test('has the newest 200 attempts, notifications and actions, oldest first', async () => {
    const { id, account } = await exhausted();
    const after = `now() + n * interval '1 ms'`;
    // 40 MB in all: not in one statement, which a slow machine would not end within its time limit.
    for (let first = 1; first <= 20_000; first += 2_000)
      await gateway.rows(
        `insert into event_actions (event_id, generation, at, actor, action, reason)
         select $1, n, ${after}, 'olga', 'replay', rpad(n::text, 2000) from generate_series($2::integer, $2::integer + 1999) n`,
        [id, first],
      );
    await gateway.rows(
      `insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body)
       select $1, n, 'schedule', 1, ${after}, 1, 'http_error', 500, repeat('x', 16384) from generate_series(1, 2000) n`,
      [id],
    );
    await gateway.rows(
      `insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at, event_attempts, status, sent_at)
       select $1, n, gen_random_uuid(), $2, 'webhook', n::text, '', 0, now(), 1, 'sent', now() from generate_series(1, 2000) n`,
      [id, account.id],
    );
    await gateway.rows('update events set generation = 20000 where id = $1', [id]);
    const { delivery_history, notifications, actions } = await gateway.admin.event(id);
    const newest = (last: number) => Array.from({ length: 200 }, (_, n) => last - 199 + n);
    const generations = (list: { generation: number }[]) => list.map(({ generation }) => generation);
    expect(generations(actions)).toEqual(newest(20_000));
    expect(generations(delivery_history)).toEqual(newest(2_000));
    expect(generations(notifications)).toEqual(newest(2_000));
  });

  test('has the reason of a replay by filter', async () => {
    const { id, account } = await exhausted();
    const filter = { account_slug: account.account_slug, delivery_status: 'failed' };
    const job = await ordered(gateway, { action: 'replay', filter, reason: 'repaired' });
    await ended(gateway, job.id);
    expect((await gateway.admin.event(id)).actions).toMatchObject([
      { action: 'replay', generation: 1, reason: 'repaired', job_id: job.id },
    ]);
  });
});

test('a reason is not in the audit log, which keeps no texts of operators', async () => {
  const { id } = await exhausted();
  const reason = 'a reason that only the timeline has';
  await operate('ack', id, { reason });
  await operate('fail', id, { error: reason });
  const { body } = await gateway.admin.request('GET', `/admin/audit-logs?event_id=${id}&reads=false`);
  expect(body.map(({ action }: { action: string }) => action)).toEqual(['event.fail', 'event.ack']);
  expect(JSON.stringify(body)).not.toContain(reason);
});

test.each([
  ['ack', { reason: 'x'.repeat(2001) }, 'reason', 'must have 2000 characters or fewer'],
  ['replay', { reason: 7 }, 'reason', 'must be a string'],
  ['retry', { reason: 'a\0' }, 'reason', 'must not contain NUL characters or lone surrogates'],
  ['ack', { error: 'x' }, 'error', 'is not a known field'],
])('%s with %j is 422', async (name, body, path, message) => {
  const account = await gateway.admin.createAccount({});
  const { body: event } = await gateway.send(account, '{}');
  const answer = await gateway.admin.post(pathOf(name, event.id), body);
  expect([answer.status, answer.body.errors]).toEqual([422, [{ path, message }]]);
});

test('a bulk order takes a reason of one kind', async () => {
  const answer = await gateway.admin.post('/admin/events/bulk', {
    ...{ action: 'dead', filter: { provider: 'generic' }, reason: 'no use' },
  });
  expect([answer.status, answer.body.errors]).toEqual([
    422,
    [{ path: 'reason', message: 'is called error for the action dead' }],
  ]);
});
