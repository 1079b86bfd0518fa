import { expect, test } from 'vitest';
import { type Answer, send } from '../support/admin-client.ts';
import { accountForTest, type Consumer, consumerForTest } from '../support/consumer.ts';
import { eventsOf, expectDeliveries } from '../support/deliveries-made.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { allDelivered, attempts, claims, eventRows, migratedRoles, type Roles } from '../support/gateway-roles.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { claimOfGone, inFlight, longAttempts } from './in-flight.ts';

gatewaysEndWithTheirTest();

const killed = { code: null, signal: 'SIGKILL' };

/**
 * The deliveries and the history of an event whose process is killed during its first attempt: an `api`, or the `worker`
 * with its workflow, while no api delivers.
 */
async function killedDuringAttempt(role: 'api' | 'worker') {
  const roles = await migratedRoles({});
  const api = await roles.apiHere({ API_DELIVERS: 'false' });
  const dying = await (role === 'api' ? roles.startApi() : roles.startWorker());
  const consumer = await consumerForTest(
    // The consumer never answers: the process dies while it waits.
    () => dying.signal('SIGKILL'),
    200,
  );
  const account = await api.admin.createAccount({
    delivery_url: consumer.url,
    delivery_secret: secretText('a-secret'),
  });
  const { body } = await send(api.baseUrl, account, '{"id":"one", "z": 1, "a": 2}');
  const exit = await dying.exited;
  const deliveries = consumer.deliveries.length;
  const between = await api.admin.event(body.id);
  if (role === 'api') await roles.apiHere();
  await roles.workerHere();
  await allDelivered(roles, 1);
  const event = await api.admin.event(body.id);
  return {
    exit,
    between: [deliveries, between.delivery_status, between.attempts, between.delivery_history],
    history: event.delivery_history.map((a: { number: number; outcome: string }) => [a.number, a.outcome]),
    received: consumer.deliveries.map(({ headers, body: received }) => [
      headers['webhook-id'] === body.id,
      headers['x-webhook-attempt'],
      received.toString(),
    ]),
  };
}

test('when an api or a worker is killed during an attempt, the event is delivered later', async () => {
  const killedRoles = ['api', 'worker'] as const;
  // Concurrently, because most of the time is spent waiting until the loss of the process is noticed.
  const ends = await Promise.all(killedRoles.map(killedDuringAttempt));
  const expected = {
    exit: killed,
    between: [1, 'pending', 0, []],
    // The attempt without a recorded outcome does not count; the next attempt has its number.
    history: [[1, 'delivered']],
    received: Array.from({ length: 2 }, () => [true, '1', '{"id":"one", "z": 1, "a": 2}']),
  };
  for (const [n, role] of killedRoles.entries()) expect(ends[n], role).toEqual(expected);
});

test('when a worker is killed between two attempts, the second attempt is made when it is due', async () => {
  const roles = await migratedRoles({ DELIVERY_SCHEDULE: '45s,1s,1s,1s,1s,1s,1s,1s,1s' });
  const [api, worker] = await Promise.all([roles.apiHere(), roles.startWorker()]);
  const { consumer, account } = await accountForTest(api.admin, 500, 200);
  const { body } = await send(api.baseUrl, account, '{"id":"one"}');
  const failed = await api.admin.eventually(body.id, (e) => e.attempts === 1 && e.status === 'enqueued');
  expect(await worker.stop('SIGKILL')).toEqual(killed);
  await roles.workerHere();
  await allDelivered(roles, 1, 200_000);
  const [first, second] = (await api.admin.event(body.id)).delivery_history;
  expect([first.number, first.response_code, second.number, second.response_code]).toEqual([1, 500, 2, 200]);
  // Not before the time, including jitter, that was recorded after the first attempt.
  expect(Date.parse(second.started_at)).toBeGreaterThanOrEqual(Date.parse(failed.next_attempt_at) - 50);
  expect(consumer.deliveries).toHaveLength(2);
});

test('when one of two apis is killed under load, the other one delivers everything', async () => {
  const roles = await migratedRoles({});
  const accepting = await roles.apiHere({ API_DELIVERS: 'false' });
  const [first] = await Promise.all([roles.startApi(), roles.apiHere(), roles.workerHere()]);
  const consumer = await consumerForTest((response) => {
    if (consumer.deliveries.length === 50) first.signal('SIGKILL');
    setTimeout(() => response.writeHead(200).end(), 20);
  });
  const account = await accepting.admin.createAccount({ delivery_url: consumer.url });
  const answers = await Promise.all(
    Array.from({ length: 150 }, (_, n) => send(accepting.baseUrl, account, JSON.stringify({ id: `event-${n}` }))),
  );
  expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
  expect(await first.exited).toEqual(killed);
  await expectEachOnce(roles, consumer, answers);
});

test('when one of two workers is killed under load, the other one makes all attempts of their workflows', async () => {
  const roles = await migratedRoles({ API_DELIVERS: 'false', EVENT_WORKFLOWS: 'always' });
  const [api, first] = await Promise.all([roles.apiHere(), roles.startWorker(), roles.workerHere()]);
  const consumer = await consumerForTest((response) => {
    if (consumer.deliveries.length === 20) first.signal('SIGKILL');
    setTimeout(() => response.writeHead(200).end(), 20);
  });
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => send(api.baseUrl, account, JSON.stringify({ id: `event-${n}` }))),
  );
  expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
  expect(await first.exited).toEqual(killed);
  await expectEachOnce(roles, consumer, answers);
});

/** Checks that each of these events was delivered, with one recorded attempt. */
async function expectEachOnce(roles: Roles, consumer: Consumer, answers: readonly Answer[]) {
  const ids = answers.map(({ body }) => body.id as string).sort();
  const rows = await allDelivered(roles, ids.length);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(new Set(consumer.deliveries.map((d) => d.headers['webhook-id'])).size).toBe(ids.length);
  expect(rows.filter(({ attempts }) => attempts !== 1)).toEqual([]);
}

/** Checks that each event was delivered twice, with one recorded attempt: that of another process. */
async function expectTakenOver(roles: Roles, consumer: Consumer, ids: string[]) {
  const rows = await allDelivered(roles, ids.length);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(rows.map((row) => row.attempts)).toEqual(ids.map(() => 1));
  expect((await attempts(roles)).map(({ event_id }) => event_id)).toEqual(ids);
  expect(consumer.deliveries).toHaveLength(2 * ids.length);
}

test('when an api is killed, another one takes over its claims', async () => {
  const roles = await migratedRoles(longAttempts);
  const dying = await roles.startApi();
  const { consumer, ids } = await inFlight([dying], 20);
  const others = await Promise.all([roles.apiHere(), roles.workerHere()]);
  // The other one ends them within seconds of the death.
  const held = [...(await claims(roles)).keys()];
  const again = await expectDeliveries(eventsOf(consumer.deliveries), ids, [dying, ...others]);
  expect([...new Set([...held, ...again])].sort()).toEqual(ids);
  expect(await dying.stop('SIGKILL')).toEqual(killed);
  await expectTakenOver(roles, consumer, ids);
});

test('when all apis are killed, one that starts takes over their claims', async () => {
  const roles = await migratedRoles(longAttempts);
  const dying = await Promise.all([roles.startApi(), roles.startApi()]);
  const { consumer, ids } = await inFlight(dying, 20);
  for (const api of dying) api.signal('SIGKILL');
  expect(await Promise.all(dying.map(({ exited }) => exited))).toEqual([killed, killed]);
  const ended = await claims(roles);
  expect([...ended.keys()].sort()).toEqual(ids);
  expect(new Set([...ended.values()].map(({ claim_token }) => claim_token)).size).toBe(2);
  await Promise.all([roles.apiHere(), roles.workerHere()]);
  await expectTakenOver(roles, consumer, ids);
});

test('when all apis are killed, workers take over their claims, and workflows make the attempts', async () => {
  const roles = await migratedRoles({ ...longAttempts, EVENT_WORKFLOWS: 'always' });
  const dying = await roles.startApi();
  const { consumer, ids } = await inFlight([dying], 5);
  dying.signal('SIGKILL');
  expect(await dying.exited).toEqual(killed);
  expect([...(await claims(roles)).keys()].sort()).toEqual(ids);
  await roles.workerHere();
  await expectTakenOver(roles, consumer, ids);
});

test('an api that stops keeps its claims until its attempts have ended', async () => {
  const roles = await migratedRoles(longAttempts);
  const stopping = await roles.startApi();
  const { consumer, answer, ids } = await inFlight([stopping], 5);
  // Started before, because an api gives its attempts up 40 s after it was asked to stop.
  const others = await Promise.all([roles.apiHere(), roles.workerHere()]);
  const exited = stopping.stop('SIGTERM');
  // When it is taken over, those of the one that stops would be, too, if its heartbeats had ended.
  const [gone = ''] = ids;
  await claimOfGone(roles, gone);
  await until('the claim is taken over', () => eventsOf(consumer.deliveries).filter((id) => id === gone).length > 1);
  expect(stopping.isRunning()).toBe(true);
  answer();
  expect(await exited).toEqual({ code: 0, signal: null });
  await allDelivered(roles, ids.length);
  await expectDeliveries(eventsOf(consumer.deliveries), [gone, ...ids], [stopping, ...others]);
});

/**
 * Posts webhooks over several connections until the api stops answering. Returns the ids that it acknowledged.
 *
 * @param enough is called once, when `count` webhooks are acknowledged and others are in flight
 */
async function postUntilItDies(
  { baseUrl, account }: { baseUrl: string; account: { provider: string; account_slug: string } },
  { count, enough }: { count: number; enough: () => void },
) {
  const acknowledged: string[] = [];
  let posted = 0;
  const poster = async () => {
    for (;;) {
      posted += 1;
      const body = JSON.stringify({ id: `event-${posted}`, text: 'x'.repeat(500) });
      try {
        const answer = await send(baseUrl, account, body);
        if (answer.status !== 202) throw new Error(`answered with ${answer.status}`);
        if (acknowledged.push(answer.body.id) === count) enough();
      } catch (error) {
        if (error instanceof TypeError || error instanceof SyntaxError) return;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, poster));
  return acknowledged;
}

test('an api that is killed under load loses no acknowledged webhook', async () => {
  const roles = await migratedRoles({});
  const [api, worker] = await Promise.all([roles.startApi(), roles.workerHere()]);
  const { consumer, account } = await accountForTest(api.admin);
  const acknowledged = await postUntilItDies(
    { baseUrl: api.baseUrl, account },
    { count: 150, enough: () => api.signal('SIGKILL') },
  );
  expect(await api.exited).toEqual(killed);
  expect(acknowledged.length).toBeGreaterThanOrEqual(150);

  // PostgreSQL may still commit statements that it has received. The lock is granted after them.
  await roles.query('do $$ begin lock table events, delivery_attempts in share mode; end $$');
  const stored = (await eventRows(roles)).map(({ id }) => id);
  expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
  const halves = await roles.query(
    `select e.id from events e full join event_payloads p on p.event_id = e.id where e.id is null or p.event_id is null`,
  );
  expect(halves).toEqual([]);
  const recorded = (await attempts(roles)).map(({ event_id }) => event_id);
  const before = eventsOf(consumer.deliveries);
  // The workflows of what was in flight or waited in the memory of the api make the attempts.
  await allDelivered(roles, stored.length);
  const delivered = eventsOf(consumer.deliveries);
  // Only an attempt that was not recorded is made again.
  const again = before.filter((id) => !recorded.includes(id));
  await expectDeliveries(delivered, [...stored, ...again], [api, worker]);

  // A new api continues.
  const next = await roles.apiHere();
  expect((await send(next.baseUrl, account, '{"id":"after"}')).status).toBe(202);
  await allDelivered(roles, stored.length + 1);
});
