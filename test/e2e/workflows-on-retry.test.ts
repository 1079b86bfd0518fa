import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { attemptsOf, statesOf } from '../support/history.ts';
import { hold } from '../support/replies.ts';
import { openStage, type Stage, useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

// EVENT_WORKFLOWS=on_retry: which events get a workflow (docs/decisions/which-events-get-a-workflow.md).

type Event = Awaited<ReturnType<Stage['gateway']['admin']['event']>>;

const stage = useStage({ delaysMs: slowDelaysMs, eventWorkflows: 'on_retry' });

const isQueued = async (id: string) =>
  (await stage.gateway.rows('select 1 from event_queue where event_id = $1', [id])).length > 0;

const isDelivered = (event: Event) => event.delivery_status === 'delivered';

/** An event that its first attempt has delivered. */
async function delivered() {
  const consumer = await stage.consumer();
  const sent = await stage.sendTo(consumer);
  const event = await stage.gateway.admin.eventually(sent.id, isDelivered);
  return { ...sent, consumer, event };
}

/** Asserts that Temporal has no workflow of the event, and that no start of one is waiting. */
async function expectNoWorkflow(id: string): Promise<void> {
  expect(await isQueued(id)).toBe(false);
  expect(await stage.workflows.latestRun(id)).toBeNull();
  expect((await stage.gateway.admin.event(id)).workflow).toBeNull();
}

test('an event whose first attempt succeeds gets no workflow', async () => {
  const { id, event, consumer } = await delivered();
  expect(statesOf(event)).toBe('enqueued/delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
  await expectNoWorkflow(id);
  expect(consumer.deliveries).toHaveLength(1);
});

test('a failed first attempt starts the workflow, which makes the second attempt', async () => {
  const quick = await forTest(openStage({ delaysMs: [200, 200], eventWorkflows: 'on_retry' }));
  const { id } = await quick.sendTo(await quick.consumer(503, 200));
  // The attempt of the workflow may be recorded before the start of the workflow is.
  const isRecorded = (e: Event) => isDelivered(e) && statesOf(e) === 'enqueued/delivered' && e.workflow !== null;
  const event = await quick.gateway.admin.eventually(id, isRecorded);
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 schedule 2 delivered']);
  expect(await quick.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 0, attempts: 2 });
  expect(event.workflow).toMatchObject({ id: `event-${id}` });
});

test('an event of a disabled account waits in the queue, without a workflow', async () => {
  const consumer = await stage.consumer();
  const { admin, baseUrl } = stage.gateway;
  const account = await admin.createAccount({ delivery_url: consumer.url });
  await stage.gateway.stopWorker();
  const { body } = await send(baseUrl, account, '{"id":"held"}');
  await stage.operate.setEnabled(account.id, false);
  await stage.gateway.startWorker();
  await admin.eventually(body.id, (e) => e.waits_for === 'account_disabled' && e.attempts === 0);
  expect(await stage.workflows.latestRun(body.id)).toBeNull();
  expect(consumer.deliveries).toHaveLength(0);
});

/** An account with a destination; `told` receives its notifications. */
async function accountWithDestination(url: string, isFinal: string[]) {
  const { admin } = stage.gateway;
  const [account, told] = [await admin.createAccount({ delivery_url: url }), await stage.consumer()];
  const destination = { name: 'told', destination_type: 'webhook', config: { url: told.url } };
  expect((await admin.post(`/admin/accounts/${account.id}/destinations`, destination)).status).toBe(201);
  await admin.request('PATCH', `/admin/accounts/${account.id}/consumers/default`, { final: isFinal });
  return { account, told };
}

test('an event that its first attempt exhausts gets a workflow, which notifies the destinations', async () => {
  const { account, told } = await accountWithDestination((await stage.consumer(410)).url, ['410']);
  const { body } = await send(stage.gateway.baseUrl, account, '{"id":"gone"}');
  await until('the destination is notified', async () => told.deliveries.length === 1);
  const event = await stage.gateway.admin.eventually(body.id, (e) => e.workflow !== null);
  expect([statesOf(event), event.attempts]).toEqual(['failed/failed', 1]);
});

test('an event of an account that is disabled for long is exhausted, and the destinations are notified', async () => {
  const { account, told } = await accountWithDestination((await stage.consumer()).url, []);
  const { admin, baseUrl } = stage.gateway;
  await stage.gateway.stopWorker();
  const { body } = await send(baseUrl, account, '{"id":"forgotten"}');
  await stage.operate.setEnabled(account.id, false);
  await stage.gateway.startWorker();
  await admin.eventually(body.id, (e) => e.waits_for === 'account_disabled');
  await stage.gateway.rows(`update event_queue set lane_since = now() - interval '8 days' where event_id = $1`, [
    body.id,
  ]);
  await stage.gateway.rows(`update accounts set updated_at = now() - interval '8 days' where id = $1`, [account.id]);
  await until('the destination is notified', async () => told.deliveries.length === 1);
  expect(await admin.event(body.id)).toMatchObject({ delivery_status: 'failed', last_error: 'account_disabled' });
});

test.each([200, 500])(
  'a manual retry starts the workflow of an event that had none; the answer is %i',
  async (answer) => {
    const { id, consumer } = await delivered();
    consumer.replies = [answer];
    expect((await stage.operate.retry(id)).status).toBe(202);
    const event = await stage.gateway.admin.eventually(id, (e) => e.attempts === 2 && e.workflow !== null);
    expect(attemptsOf(event)).toEqual([
      '0 schedule 1 delivered',
      `0 manual 1 ${answer === 200 ? 'delivered' : 'http_error'}`,
    ]);
    expect(statesOf(event)).toBe('enqueued/delivered');
    const { runId } = await stage.workflows.status(id);
    expect(event.workflow).toMatchObject({ id: `event-${id}`, run_id: runId });
    await stage.workflows.result(id);
  },
);

test('a replay whose first attempt succeeds gets no workflow', async () => {
  const { id } = await delivered();
  const { body } = await stage.operate.replay(id);
  expect(statesOf(body)).toBe('received/pending');
  const event = await stage.gateway.admin.eventually(id, (e) => e.generation === 1 && isDelivered(e));
  expect(statesOf(event)).toBe('enqueued/delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered', '1 schedule 1 delivered']);
  await expectNoWorkflow(id);
});

test('a replay whose first attempt fails starts the workflow of the new generation', async () => {
  const { id, consumer } = await delivered();
  consumer.replies = [500];
  await stage.operate.replay(id);
  const event = await stage.gateway.admin.eventually(
    id,
    (e) => e.attempts === 1 && e.workflow !== null && e.status === 'enqueued',
  );
  expect(statesOf(event)).toBe('enqueued/pending');
  const state = await until('it waits', async () => {
    const { phase, ...rest } = await stage.workflows.state(id);
    return phase === 'waiting' && rest;
  });
  expect(state).toMatchObject({ generation: 1, attempts: 1 });
});

test('a retry after a replay without workflow ends the workflow of the former generation', async () => {
  const { consumer, id } = await stage.sent(500, 200);
  await stage.gateway.admin.eventually(id, (e) => e.attempts === 1 && e.workflow !== null);
  await stage.operate.replay(id);
  const event = await stage.gateway.admin.eventually(id, (e) => e.generation === 1 && isDelivered(e));
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '1 schedule 1 delivered']);
  expect((await stage.workflows.status(id)).status).toBe('RUNNING');
  await stage.operate.retry(id);
  const retried = await stage.gateway.admin.eventually(id, (e) => e.attempts === 2);
  expect(attemptsOf(retried).at(-1)).toBe('1 manual 1 delivered');
  expect((await stage.workflows.result(id)).outcome).toBe('delivered');
  expect(consumer.deliveries).toHaveLength(3);
});

test.each([
  ['ack', 'processed/delivered'],
  ['fail', 'failed/delivered'],
  ['dead', 'dead/delivered'],
] as const)('%s of a delivered event without workflow changes its states only', async (operation, states) => {
  const { id } = await delivered();
  const { status, body } = await stage.operate[operation](id);
  expect(status).toBe(200);
  expect(statesOf(body)).toBe(states);
  expect(await stage.gateway.rows('select 1 from event_commands where event_id = $1', [id])).toEqual([]);
  await expectNoWorkflow(id);
});

test.each([
  ['ack', 'processed/delivered'],
  ['dead', 'dead/failed'],
  ['deleteAccount', 'enqueued/failed'],
] as const)(
  'an event that ends before its first attempt by %s leaves the queue without a workflow',
  async (operation, states) => {
    const consumer = await stage.consumer();
    const { admin } = stage.gateway;
    await stage.gateway.stopWorker();
    const { id, accountId } = await stage.sendTo(consumer);
    await stage.operate[operation](operation === 'deleteAccount' ? accountId : id);
    await stage.gateway.startWorker();
    expect(statesOf(await admin.eventually(id, (e) => e.status !== 'received'))).toBe(states);
    await until('the row has left the queue', async () => !(await isQueued(id)));
    await until(
      'the command is done',
      async () => (await stage.gateway.rows('select 1 from event_commands where event_id = $1', [id])).length === 0,
    );
    await expectNoWorkflow(id);
    expect(consumer.deliveries).toHaveLength(0);
  },
);

test('an ack during the first attempt leaves no workflow and no command', async () => {
  const held = hold();
  const { id } = await stage.sendTo(await stage.consumer(held.reply));
  await held.arrived;
  expect(statesOf((await stage.operate.ack(id)).body)).toBe('processed/delivered');
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.attempts === 1);
  expect(statesOf(event)).toBe('processed/delivered');
  await until(
    'the command is done',
    async () => (await stage.gateway.rows('select 1 from event_commands where event_id = $1', [id])).length === 0,
  );
  await expectNoWorkflow(id);
});

test('a duplicate of a failed event replays it, and the delivery needs no workflow', async () => {
  const consumer = await stage.consumer();
  const { admin, baseUrl } = stage.gateway;
  const account = await admin.createAccount({ delivery_url: consumer.url });
  const webhook = () => send(baseUrl, account, '{"id":"resent"}');
  const { id } = (await webhook()).body;
  await admin.eventually(id, isDelivered);
  await stage.operate.fail(id);
  expect((await webhook()).body).toMatchObject({ id, duplicate: true });
  const event = await admin.eventually(id, (e) => e.generation === 1 && isDelivered(e));
  expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered', '1 schedule 1 delivered']);
  await expectNoWorkflow(id);
});

test('the list of received events has none that was delivered', async () => {
  const { id, slug } = await delivered();
  const { admin } = stage.gateway;
  const ids = async (query: string) =>
    (await admin.request('GET', `/admin/events?account_slug=${slug}&${query}`)).body.map((e: Event) => e.id);
  expect(await ids('status=received')).toEqual([]);
  expect(await ids('delivery_status=pending')).toEqual([]);
  expect(await ids('status=enqueued')).toEqual([id]);
});
