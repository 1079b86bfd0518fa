import { describe, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { instantDelaysMs, lastAttempt } from '../support/gateway.ts';
import { allFailed, attemptsOf, statesOf } from '../support/history.ts';
import { deadError, lostError } from '../support/operator.ts';
import { deadEvent, deliveredEvent, exhaustedEvent, useStage } from '../support/situations.ts';

// Operators' commands on an event whose delivery has ended (docs/concepts.md).

const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: false });

describe('a delivered event', () => {
  test.each([
    ['ack', 'processed/delivered', null],
    ['fail', 'failed/delivered', lostError],
    ['dead', 'dead/delivered', deadError],
  ] as const)('stays delivered on %s', async (operation, states, lastError) => {
    const { id, event: before } = await deliveredEvent(stage);
    const { status, body } = await stage.operate[operation](id);
    expect(status).toBe(200);
    expect(statesOf(body)).toBe(states);
    expect(body).toMatchObject({ last_error: lastError, delivered_at: before.delivered_at, attempts: 1 });
  });

  test('is delivered again on replay', async () => {
    const { id } = await deliveredEvent(stage);
    expect((await stage.operate.replay(id)).status).toBe(202);
    const again = (e: { generation: number; delivery_status: string }) =>
      e.generation === 1 && e.delivery_status === 'delivered';
    const event = await stage.gateway.admin.eventually(id, again);
    expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered', '1 schedule 1 delivered']);
    expect(await stage.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 1, attempts: 1 });
  });

  test.each([200, 500])('is sent again on retry, and stays delivered after the answer %i', async (answer) => {
    const { id, consumer, event: before } = await deliveredEvent(stage);
    consumer.replies = [answer];
    expect((await stage.operate.retry(id)).status).toBe(202);
    const event = await stage.gateway.admin.eventually(id, (e) => e.attempts === 2);
    expect(event.delivery_history.at(-1)).toMatchObject({ trigger: 'manual', number: 1, response_code: answer });
    expect(event).toMatchObject({ status: 'enqueued', delivery_status: 'delivered' });
    expect(event).toMatchObject({ delivered_at: before.delivered_at, last_error: null, response_code: 200 });
  });
});

describe('an exhausted event', () => {
  test('is shown as failed by its row and as exhausted by its workflow', async () => {
    const { id, event } = await exhaustedEvent(stage);
    expect(event).toMatchObject({
      status: 'failed',
      delivery_status: 'failed',
      attempts: lastAttempt,
      response_code: 500,
    });
    expect(event.last_error).toContain('500');
    expect(event.next_attempt_at).toBeNull();
    expect(attemptsOf(event)).toEqual(allFailed());
    expect(await stage.workflows.result(id)).toEqual({ outcome: 'exhausted', generation: 0, attempts: lastAttempt });
    expect(await stage.workflows.attributes(id)).toMatchObject({ deliveryStatus: 'failed' });
  });

  test.each([
    ['ack', 'processed/failed'],
    ['fail', 'failed/failed'],
    ['dead', 'dead/failed'],
  ] as const)('stays undelivered on %s', async (operation, states) => {
    const { id } = await exhaustedEvent(stage);
    const { status, body } = await stage.operate[operation](id);
    expect(status).toBe(200);
    expect(statesOf(body)).toBe(states);
    expect(body).toMatchObject({ delivered_at: null, attempts: lastAttempt });
  });

  test('is delivered by a retry that succeeds, and enqueued again', async () => {
    const { id } = await exhaustedEvent(stage);
    expect((await stage.operate.retry(id)).status).toBe(202);
    const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(event).toMatchObject({ status: 'enqueued', attempts: lastAttempt + 1, generation: 0, response_code: 200 });
    expect(event.last_error).toBeNull();
    expect(event.delivered_at).not.toBeNull();
    expect(attemptsOf(event)).toEqual([...allFailed(), '0 manual 1 delivered']);
    expect((await stage.workflows.result(id)).outcome).toBe('delivered');
  });

  test('stays failed after a retry that fails, without further attempts', async () => {
    const { id, consumer } = await exhaustedEvent(stage);
    consumer.replies = [500];
    const first = await stage.workflows.status(id);
    expect((await stage.operate.retry(id)).status).toBe(202);
    await stage.gateway.admin.eventually(id, (e) => e.attempts === lastAttempt + 1);
    expect((await stage.workflows.status(id)).runId).not.toBe(first.runId);
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'already_settled', generation: 0 });
    const event = await stage.gateway.admin.event(id);
    expect(statesOf(event)).toBe('failed/failed');
    expect(attemptsOf(event)).toEqual([...allFailed(), '0 manual 1 http_error']);
  });

  test('gets all its attempts again on replay', async () => {
    const { id, consumer } = await exhaustedEvent(stage);
    consumer.replies = [500];
    expect((await stage.operate.replay(id)).status).toBe(202);
    const event = await stage.gateway.admin.eventually(id, (e) => e.generation === 1 && e.delivery_status === 'failed');
    expect(event).toMatchObject({ status: 'failed', attempts: lastAttempt });
    expect(attemptsOf(event)).toEqual([...allFailed(), ...allFailed(1)]);
  });
});

describe('a dead event', () => {
  test.each([
    ['ack', 'processed/failed'],
    ['fail', 'failed/failed'],
    ['dead', 'dead/failed'],
  ] as const)('accepts %s', async (operation, states) => {
    const { id } = await deadEvent(stage);
    const { status, body } = await stage.operate[operation](id);
    expect(status).toBe(200);
    expect(statesOf(body)).toBe(states);
  });

  test('is not retried', async () => {
    const { id, consumer } = await deadEvent(stage);
    const { status, body, headers } = await stage.operate.retry(id);
    expect(status).toBe(409);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(body.code).toBe('event_dead');
    // An attempt of the retry would have arrived before this one.
    await stage.operate.replay(id);
    const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '1 schedule 1 delivered']);
    expect(consumer.deliveries).toHaveLength(2);
  });

  test('is revived by replay', async () => {
    const { id } = await deadEvent(stage);
    const { status, body } = await stage.operate.replay(id);
    expect(status).toBe(202);
    expect(statesOf(body)).toBe('received/pending');
    const revived = (e: { status: string; delivery_status: string }) => statesOf(e) === 'enqueued/delivered';
    expect(await stage.gateway.admin.eventually(id, revived)).toMatchObject({ generation: 1, attempts: 1 });
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', generation: 1 });
  });
});

describe('a rejected webhook', () => {
  async function rejected(): Promise<string> {
    const { admin, baseUrl } = stage.gateway;
    const consumer = await stage.consumer();
    const account = await admin.createAccount({ delivery_url: consumer.url, skip_signature_verification: false });
    expect((await send(baseUrl, account, '{"id":"bad"}')).status).toBe(401);
    const [event] = (await admin.request('GET', `/admin/events?account_slug=${account.account_slug}`)).body;
    expect(statesOf(event)).toBe('rejected/null');
    return event.id;
  }

  test.each(['replay', 'retry'] as const)('refuses %s in any status', async (operation) => {
    const id = await rejected();
    expect(await stage.operate[operation](id)).toMatchObject({ status: 409, body: { code: 'event_rejected' } });
    expect((await stage.operate.fail(id)).body).toMatchObject({ status: 'failed', delivery_status: null });
    expect(await stage.operate[operation](id)).toMatchObject({ status: 409, body: { code: 'event_rejected' } });
    expect((await stage.operate.dead(id)).body).toMatchObject({ status: 'dead', delivery_status: null });
    expect(await stage.operate[operation](id)).toMatchObject({ status: 409, body: { code: 'event_rejected' } });
    expect((await stage.operate.ack(id)).body).toMatchObject({ status: 'processed', delivery_status: null });
    expect(await stage.operate[operation](id)).toMatchObject({ status: 409, body: { code: 'event_rejected' } });
    expect(attemptsOf(await stage.gateway.admin.event(id))).toEqual([]);
  });
});

test.each(['ack', 'fail', 'dead', 'replay', 'retry'] as const)('%s of an unknown event is 404', async (operation) => {
  for (const id of ['0199f3a0-0000-7000-8000-000000000000', 'nonsense'])
    expect(await stage.operate[operation](id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
