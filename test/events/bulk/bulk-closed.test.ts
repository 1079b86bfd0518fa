import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { applyBatch } from '../../../src/events/bulk/apply-batch.ts';
import { insertConsumer } from '../../support/consumers.ts';
import { operatorOf } from '../../support/operator.ts';
import { useForEach } from '../../support/use.ts';
import { useGatewayPerTest } from '../../support/use-gateway.ts';
import { events, ordered, orderPath, workOff } from './support.ts';

// Bulk jobs and events that a person has acknowledged or declared dead.

const gateway = useGatewayPerTest({ worker: false });
const account = useForEach(() => gateway.admin.createAccount({ app_key: 'app' }));

/** Failed events of which a person has acknowledged one and declared another one dead. */
async function someClosed() {
  const ids = await events(gateway, account, 6);
  const [acknowledged = '', dead = '', ...open] = ids;
  const operate = operatorOf(gateway.admin);
  await operate.ack(acknowledged);
  await operate.dead(dead);
  return { ids, acknowledged, dead, open };
}

const preview = async (order: object) => (await gateway.admin.post(orderPath, { ...order, dry_run: true })).body;

/** The events that a job has changed. */
async function changedBy(order: object): Promise<string[]> {
  const before = await gateway.rows('select id, xmin::text as version from events');
  await ordered(gateway, order);
  await workOff(gateway);
  const after = await gateway.rows('select id, xmin::text as version from events');
  const versions = new Map(before.map(({ id, version }) => [id, version]));
  return after.filter(({ id, version }) => versions.get(id) !== version).map(({ id }) => id);
}

test.each(['replay', 'retry', 'ack', 'dead'])(
  '%s by a filter leaves them out, and the preview counts them',
  async (action) => {
    const { open } = await someClosed();
    const order = { action, filter: { delivery_status: 'failed' } };
    expect(await preview(order)).toEqual({ dry_run: true, matched: open.length, exact: true, left_out: 2 });
    expect((await changedBy(order)).toSorted()).toEqual(open.toSorted());
  },
);

test.each([
  [{ state: 'acknowledged' }, ['acknowledged']],
  [{ state: 'dead' }, ['dead']],
  [{ status: 'processed' }, ['acknowledged']],
  [{ status: 'dead', delivery_status: 'failed' }, ['dead']],
] as const)('a replay by %j is of those that it names', async (filter, names) => {
  const closed = await someClosed();
  expect(await preview({ action: 'replay', filter })).toMatchObject({ matched: 1, left_out: 0 });
  expect(await changedBy({ action: 'replay', filter })).toEqual(names.map((name) => closed[name]));
});

test('a replay by ids is of all of them', async () => {
  const { ids } = await someClosed();
  expect(await preview({ action: 'replay', ids })).toMatchObject({ matched: ids.length, left_out: 0 });
  expect((await changedBy({ action: 'replay', ids })).toSorted()).toEqual(ids.toSorted());
});

test('an event that is acknowledged after the job has found it no longer matches', async () => {
  const ids = (await events(gateway, account, 2)).toSorted();
  await operatorOf(gateway.admin).ack(ids[0] ?? '');
  const by = { actor: 'tester', reason: null, jobId: uuidv7() };
  const order = { action: 'replay', error: null, filter: { app_key: 'app' }, by } as const;
  const { done, skipped } = await gateway.database.transaction((sql) => applyBatch(sql, order, ids));
  expect({ done, skipped }).toEqual({ done: 1, skipped: { no_longer_matches: 1 } });
});

test('what is left out is counted by the other filters of the order, also by consumer', async () => {
  await someClosed();
  const consumerId = await insertConsumer(gateway.database, { accountId: account.id, name: 'billing' });
  const [id = ''] = await events(gateway, account, 2, { consumerId });
  await operatorOf(gateway.admin).ack(id);
  const filter = { consumer: 'billing' };
  expect(await preview({ action: 'replay', filter })).toMatchObject({ matched: 1, left_out: 1 });
  expect(await preview({ action: 'replay', filter: { ...filter, provider: 'slack' } })).toMatchObject({
    ...{ matched: 0, left_out: 0 },
  });
  const answer = await gateway.admin.post('/admin/events/replay-failed?consumer=billing');
  expect(answer.body).toEqual({ replayed: 1, left_out: 1 });
  expect((await gateway.admin.post('/admin/events/replay-failed')).body).toEqual({ replayed: 4, left_out: 3 });
});
