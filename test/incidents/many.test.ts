import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { addIncidentCounts } from '../../src/incidents/counting/write-counts.ts';
import { openStream } from '../support/event-stream.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';
import { answer, incidentsOf, quickPace } from './support.ts';

// Without a time limit that a busy machine reaches: a late answer would be another cause.
const stage = useStage({ delaysMs: slowDelaysMs, incidents: quickPace, timeLimitMs: 120_000 });
const failingAccounts = 200;
/** More requests at the same time would wait for a busy database for longer than the gateway lets them. */
const some = pLimit(20);

test('200 accounts that fail at once have 200 incidents within seconds, and the stream reports them', {
  timeout: 400_000,
}, async () => {
  const { gateway } = stage;
  const stream = await openStream(gateway);
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  const consumer = await stage.consumer(answer(503, 'the load balancer has no server'));
  const accounts = await Promise.all(
    Array.from({ length: failingAccounts }, () =>
      some(() => gateway.admin.createAccount({ delivery_url: consumer.url })),
    ),
  );
  for (let n = 0; n < 5; n++) {
    const body = `{"id":"m-${n}","type":"order"}`;
    const answers = await Promise.all(accounts.map((account) => some(() => gateway.send(account, body))));
    expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
  }
  await until('all webhooks were delivered once', () => consumer.deliveries.length >= failingAccounts * 5, 200_000);
  const found = await until('all have an incident', async () => {
    const open = await incidentsOf(gateway).list('?state=open&limit=1000');
    return open.length === failingAccounts && open;
  });
  expect(new Set(found.map(({ cause }) => cause))).toEqual(new Set(['503 the load balancer has no server']));
  expect(new Set(found.map(({ account_id }) => account_id)).size).toBe(failingAccounts);
  const ids = new Set(found.map(({ id }) => id));
  await until('the stream has reported them', () => {
    const reported = stream.messages.filter(({ event }) => event === 'incident').map(({ data }) => data.id);
    return ids.difference(new Set(reported)).size === 0;
  });
  const reported = stream.messages.find(({ event }) => event === 'incident');
  const { waiting: _, exhausted: __, ...item } = found[0];
  expect(Object.keys(reported?.data).sort()).toEqual(Object.keys(item).sort());
});

test('the stream reports 1,200 incidents that change at the same moment', async () => {
  const { gateway } = stage;
  const stream = await openStream(gateway);
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  const changed = await gateway.rows(
    `insert into incidents (id, kind, state, account_id, cause, first_seen_at, last_seen_at, resolved_at, finished_at)
     select gen_random_uuid(), 'delivery', 'resolved', gen_random_uuid(), 'together', now(), now(), now(), now()
     from generate_series(1, 1200) returning id`,
  );
  const reported = () =>
    stream.messages.flatMap(({ event, data }) => (event === 'incident' && data.cause === 'together' ? [data.id] : []));
  await until('all are reported', () => new Set(reported()).size === changed.length);
  expect(reported().toSorted()).toEqual(changed.map(({ id }) => id).toSorted());
});

test('at most 1,000 incidents of accounts are open, and those of the gateway besides', async () => {
  const { gateway } = stage;
  await gateway.rows(
    `insert into incidents (id, kind, account_id, cause, first_seen_at, last_seen_at, failing_at)
     select gen_random_uuid(), 'delivery', gen_random_uuid(), 'full', now(), now(), now()
     from generate_series(1, 1000 - (select count(*)::integer from incidents where state <> 'resolved' and kind <> 'gateway'))`,
  );
  const consumer = await stage.consumer(answer(500, 'one more'));
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const fail = async (from: number) => {
    for (let n = from; n < from + 5; n++) await gateway.send(account, `{"id":"o-${n}","type":"order"}`);
    await until('the consumer got them', () => consumer.deliveries.length >= from + 5);
  };
  await fail(0);
  const at = Date.now();
  await until('incidents were judged', () => Date.now() - at > 800);
  expect(await incidentsOf(gateway).list(`?account_id=${account.id}`)).toEqual([]);
  const nowMs = Date.now();
  await addIncidentCounts(gateway.database, [
    {
      ...{
        kind: 'gateway',
        accountId: null,
        consumerId: null,
        cause: 'the disk of a test is nearly full',
        opens: true,
      },
      ...{ failed: 0, succeeded: 0, firstMs: nowMs, lastMs: nowMs, example: null, oldest: null },
    },
  ]);
  await until('it is open', async () =>
    (await incidentsOf(gateway).list('?kind=gateway')).some(
      ({ cause }) => cause === 'the disk of a test is nearly full',
    ),
  );
  await gateway.rows(`update incidents set state = 'resolved', resolved_at = now() where cause = 'full'`);
  await fail(5);
  expect(await incidentsOf(gateway).one(account.id)).toMatchObject({ cause: '500 one more', state: 'open' });
});
