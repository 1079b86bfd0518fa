import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { addIncidentCounts } from '../../src/incidents/counting/write-counts.ts';
import { consumersOf } from '../consumers/support.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';
import { answer, answers, incidentsOf, quickPace, sendSome } from './support.ts';

const stage = useStage({ delaysMs: slowDelaysMs, incidents: quickPace });
const incidents = () => incidentsOf(stage.gateway);

async function failing(...replies: Parameters<typeof stage.consumer>) {
  const consumer = await stage.consumer(...replies);
  const account = await stage.gateway.admin.createAccount({ delivery_url: consumer.url });
  return { consumer, account, send: (count: number) => sendSome(stage.gateway, account, consumer, count) };
}

/** Longer than it takes to count and judge several times. */
const judgedSeveralTimes = async () => {
  const at = Date.now();
  await until('incidents were judged several times', () => Date.now() - at > 600);
};

test('the fifth different event in a row that fails opens an incident, the fourth does not', async () => {
  const { account, send } = await failing(answer(500, 'TypeError at webhooks.js:12\nsecond line'));
  const first = await send(4);
  await judgedSeveralTimes();
  expect(await incidents().list(`?account_id=${account.id}`)).toEqual([]);
  const [last] = await send(1);
  const [incident] = await incidents().causes(account.id, ['500 TypeError at webhooks.js:#']);
  expect(incident).toMatchObject({
    ...{
      kind: 'delivery',
      state: 'open',
      account_id: account.id,
      provider: 'generic',
      account_slug: account.account_slug,
    },
    ...{ app_key: 'tests', consumer: 'default', example_event_id: last, attempts: 5, waiting: 5, exhausted: 0 },
    ...{ acknowledged_by: null, resolved_by: null, resolved_at: null, reopened_at: null, note: null, paused: null },
  });
  expect(Date.parse(incident.last_seen_at)).toBeGreaterThanOrEqual(Date.parse(incident.first_seen_at));
  expect((await incidents().read(incident.id)).body).toEqual(incident);
  await send(3);
  await incidents().one(account.id, ({ attempts, waiting }) => attempts === 8 && waiting === 8);
  const { body } = await stage.gateway.admin.request('GET', `/admin/events?incident=${incident.id}`);
  expect(body.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(first));
  expect(body).toHaveLength(8);
});

test('a success between failures begins the row again', async () => {
  const { account, consumer, send } = await failing(500);
  await send(4);
  consumer.replies = [200];
  await send(2);
  consumer.replies = [500];
  await send(2);
  await judgedSeveralTimes();
  expect(await incidents().list(`?account_id=${account.id}`)).toEqual([]);
});

test('half of ten attempts within a minute open an incident, also when none fails twice in a row', async () => {
  let n = 0;
  const { account, send } = await failing(answers(() => (n++ % 2 === 0 ? [502, 'bad'] : [200, ''])));
  await send(8);
  await judgedSeveralTimes();
  expect(await incidents().list(`?account_id=${account.id}`)).toEqual([]);
  await send(3);
  const [incident] = await incidents().causes(account.id, ['502 bad']);
  expect(incident.attempts).toBeGreaterThanOrEqual(5);
});

test('one failure in ten opens none', async () => {
  let n = 0;
  const { account, send } = await failing(answers(() => (n++ % 10 === 9 ? [500, 'rare'] : [200, ''])));
  await send(30);
  await judgedSeveralTimes();
  expect(await incidents().list(`?account_id=${account.id}`)).toEqual([]);
});

test('events of several causes: the commonest opens, another one after five failures', async () => {
  const texts = ['red', 'red', 'red', 'blue', 'red'];
  const { account, consumer, send } = await failing(answers(() => [500, texts.shift() ?? 'green']));
  await send(5);
  await incidents().causes(account.id, ['500 red']);
  await send(4);
  await judgedSeveralTimes();
  await incidents().causes(account.id, ['500 red']);
  await send(1);
  await incidents().causes(account.id, ['500 green', '500 red']);
  expect(consumer.deliveries).toHaveLength(10);
});

test('of more than five causes, the others are counted together', async () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
  let n = 0;
  const { account, send } = await failing(answers(() => [500, names[Math.floor(n++ / 6)] ?? 'eight']));
  await send(7 * 6);
  const causes = ['500 one', '500 two', '500 three', '500 four', '500 five', 'other'];
  await until(
    'six incidents count all failures',
    async () => {
      const found = await incidents().list(`?account_id=${account.id}`);
      expect(found.map(({ cause }) => cause).sort()).toEqual(causes.sort());
      expect(found.find(({ cause }) => cause === 'other').attempts).toBe(12);
      return true;
    },
    { retryErrors: true },
  );
});

test('what a process counts as other causes takes the place of none of five', async () => {
  const { id } = await stage.gateway.admin.createAccount({});
  const nowMs = Date.now();
  const counted = (cause: string, failed: number) => ({
    ...{ kind: 'delivery' as const, accountId: id, consumerId: id, cause, failed, opens: true, succeeded: 0 },
    ...{ firstMs: nowMs, lastMs: nowMs, example: null, oldest: null },
  });
  const names = ['500 one', '500 two', '500 three', '500 four', '500 five'];
  await addIncidentCounts(stage.gateway.database, [counted('other', 20), ...names.map((name) => counted(name, 6))]);
  const found = await incidents().causes(id, [...names, 'other']);
  expect(found.find(({ cause }) => cause === 'other').attempts).toBe(20);
});

test('failures in a row open no incident if they began before the last one of their cause ended', async () => {
  const { id } = await stage.gateway.admin.createAccount({});
  const [startMs, minuteMs] = [Date.now(), 60_000];
  await stage.gateway.rows(
    `insert into incidents (id, kind, state, account_id, cause, first_seen_at, last_seen_at, resolved_at)
     values ($1, 'delivery', 'resolved', $2, '500 again', now(), now(), now() - interval '20 minutes')`,
    [randomUUID(), id],
  );
  // As from a process that did not see the successes in between.
  const failed = (beganMs: number) =>
    addIncidentCounts(stage.gateway.database, [
      {
        ...{
          kind: 'delivery',
          accountId: id,
          consumerId: id,
          cause: '500 again',
          failed: 1,
          opens: true,
          succeeded: 0,
        },
        ...{ firstMs: Date.now() - beganMs, lastMs: Date.now(), example: null, oldest: null },
      },
    ]);
  await failed(30 * minuteMs);
  const waiting = `select from incident_counts where cause = '500 again' and not added`;
  await until('it was judged', async () => (await stage.gateway.rows(waiting)).length === 0);
  expect(await incidents().list(`?account_id=${id}&state=open`)).toEqual([]);
  await failed(10 * minuteMs);
  const { first_seen_at } = await incidents().one(id, ({ state }) => state === 'open');
  expect(Date.parse(first_seen_at)).toBeGreaterThanOrEqual(startMs - minuteMs);
});

test('each consumer of an account has incidents of its own, with its name', async () => {
  const broken = await stage.consumer(answer(503, 'down'));
  const { account, send } = await failing(200);
  await consumersOf(stage.gateway, account.id).made('billing', { url: broken.url });
  await send(6);
  await incidents().causes(account.id, ['503 down']);
  // It may have opened with the fifth one.
  const incident = await incidents().one(account.id, ({ cause, waiting }) => cause === '503 down' && waiting === 6);
  expect(incident).toMatchObject({ consumer: 'billing' });
  expect(await incidents().list(`?account_id=${account.id}&consumer=default`)).toEqual([]);
  expect(await incidents().list(`?account_id=${account.id}&consumer=billing`)).toHaveLength(1);
  const paused = await consumersOf(stage.gateway, account.id).pause('billing', { reason: 'repair' });
  expect(paused.status).toBe(200);
  expect((await incidents().read(incident.id)).body.paused).toEqual({
    ...{ by: 'consumer', since: paused.body.paused.since, reason: 'repair' },
  });
});

test('a consumer that does not answer has the outcome as its cause', async () => {
  const { account, consumer } = await failing(200);
  await consumer.close();
  for (let n = 0; n < 5; n++) await stage.gateway.send(account, `{"id":"${n}","type":"order"}`);
  const [incident] = await incidents().causes(account.id, ['connection_refused #.#.#.#:# refused the connection']);
  expect(incident.attempts).toBe(5);
});
