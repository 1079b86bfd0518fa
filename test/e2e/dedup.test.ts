import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/admin-client.ts';
import type { Consumer } from '../support/consumer.ts';
import { instantDelaysMs, lastAttempt } from '../support/gateway.ts';
import { allFailed, attemptsOf, statesOf } from '../support/history.ts';
import { secretText } from '../support/secrets.ts';
import { deadEvent, exhaustedEvent, useStage, waitingEvent } from '../support/situations.ts';

// Deduplication of webhooks (docs/providers.md).

const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: false });

interface Address {
  provider: string;
  account_slug: string;
}

async function accountTo(consumer: Consumer, fields: Record<string, unknown> = {}): Promise<Address> {
  return stage.gateway.admin.createAccount({ delivery_url: consumer.url, ...fields });
}
const post = (to: Address, body: string, headers?: Record<string, string>, query?: string): Promise<Answer> =>
  stage.gateway.send(to, body, headers, query);
const eventsOf = async ({ account_slug }: Address) =>
  (await stage.gateway.admin.request('GET', `/admin/events?account_slug=${account_slug}`)).body;
const delivered = (id: string) => stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
const webhookIds = (consumer: Consumer) => consumer.deliveries.map(({ headers }) => headers['webhook-id']);
/** The body that `situations.ts` sends. */
const sentBody = '{"id":"one","type":"order"}';

test('a webhook with the same id and bytes is a duplicate, and the event is delivered once', async () => {
  const consumer = await stage.consumer();
  const account = await accountTo(consumer);
  const first = await post(account, '{"id":"same","type":"t"}');
  expect(first.body).toMatchObject({ external_id: 'same', event_type: 't', status: 'received', duplicate: false });
  await stage.gateway.admin.eventually(first.body.id, (e) => statesOf(e) === 'enqueued/delivered');
  const second = await post(account, '{"id":"same","type":"t"}');
  expect(second.status).toBe(202);
  expect(second.body).toEqual({ ...first.body, status: 'enqueued', duplicate: true });
  // A second delivery would arrive before this one.
  const other = await post(account, '{"id":"other"}');
  await delivered(other.body.id);
  expect(webhookIds(consumer)).toEqual([first.body.id, other.body.id]);
  expect(await eventsOf(account)).toHaveLength(2);
});

test('twenty concurrent duplicates are one event', async () => {
  const consumer = await stage.consumer();
  const account = await accountTo(consumer);
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(account, '{"id":"rush"}')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(answers.filter(({ body }) => !body.duplicate)).toHaveLength(1);
  const [{ id }, ...more] = await eventsOf(account);
  expect(more).toEqual([]);
  await delivered(id);
  expect(webhookIds(consumer)).toEqual([id]);
});

test.each<[string, string, string]>([
  ['other bytes under the same id', '{"id":"v","n":1}', '{"id":"v","n":2}'],
  ['the same bytes without an id', '["no id"]', '["no id"]'],
  ['nothing at all', '', ''],
])('%s are two events', async (_, one, two) => {
  const consumer = await stage.consumer();
  const account = await accountTo(consumer);
  const answers = [await post(account, one), await post(account, two)];
  for (const { body } of answers) {
    expect(body.duplicate).toBe(false);
    await delivered(body.id);
  }
  expect(webhookIds(consumer).toSorted()).toEqual(answers.map(({ body }) => body.id).toSorted());
});

test('two accounts do not share their events', async () => {
  const consumer = await stage.consumer();
  const answers = [
    await post(await accountTo(consumer), '{"id":"shared"}'),
    await post(await accountTo(consumer), '{"id":"shared"}'),
  ];
  expect(answers.map(({ body }) => body.duplicate)).toEqual([false, false]);
});

test('support_chat webhooks are deduplicated by their composed id and bytes', async () => {
  const consumer = await stage.consumer();
  const account = await accountTo(consumer, { provider: 'support_chat' });
  const message = (fingerprint: number) =>
    JSON.stringify({ event: 'message:send', timestamp: 1763640000, data: { session_id: 'session_1', fingerprint } });
  const headers = { 'content-type': 'application/json', 'x-original-url': 'https://gateway.example/support_chat' };
  const first = await post(account, message(1), headers);
  expect(first.body).toMatchObject({ external_id: 'session_1:1', event_type: 'chat.message', duplicate: false });
  expect((await post(account, message(1), headers)).body).toMatchObject({ id: first.body.id, duplicate: true });
  expect((await post(account, message(2), headers)).body.duplicate).toBe(false);
});

describe('a duplicate of an event', () => {
  test('that waits for its next attempt changes nothing', async () => {
    const { id, event } = await waitingEvent(stage);
    const again = await post(event, sentBody);
    expect(again.body).toMatchObject({ id, status: 'enqueued', duplicate: true });
    expect(await stage.gateway.admin.event(id)).toMatchObject({
      generation: 0,
      next_attempt_at: event.next_attempt_at,
    });
  });

  test('that has failed replays it', async () => {
    const { id, event, consumer } = await exhaustedEvent(stage);
    const again = await post(event, sentBody);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ id, status: 'received', duplicate: true });
    const replayed = await delivered(id);
    expect(replayed).toMatchObject({ generation: 1, attempts: 1 });
    expect(attemptsOf(replayed)).toEqual([...allFailed(), '1 schedule 1 delivered']);
    expect(consumer.deliveries.at(-1)?.headers['x-webhook-replay']).toBe('true');
    expect(await eventsOf(event)).toHaveLength(1);
  });

  test('that has failed replays it once, even with concurrent duplicates', async () => {
    const { id, event, consumer } = await exhaustedEvent(stage);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(event, sentBody)));
    expect(answers.map(({ body }) => [body.id, body.duplicate])).toEqual(answers.map(() => [id, true]));
    const replayed = await delivered(id);
    expect(replayed.generation).toBe(1);
    expect(consumer.deliveries).toHaveLength(lastAttempt + 1);
  });

  test('that is dead leaves it dead', async () => {
    const { id, event } = await deadEvent(stage);
    expect((await post(event, sentBody)).body).toMatchObject({ id, status: 'dead', duplicate: true });
    expect(await stage.gateway.admin.event(id)).toMatchObject({ generation: 0, delivery_status: 'failed' });
  });

  test('after 24 hours is a new event, of which there can be duplicates again', async () => {
    const { id, event } = await waitingEvent(stage);
    const expire = { name: '', text: `update event_dedup set expires_at = now() - interval '1 s' where event_id = $1` };
    await stage.gateway.database.query(expire, [id]);
    const fresh = await post(event, sentBody);
    expect(fresh.body.duplicate).toBe(false);
    expect(fresh.body.id).not.toBe(id);
    expect((await post(event, sentBody)).body).toMatchObject({ id: fresh.body.id, duplicate: true });
  });

  test('whose row retention has dropped is a new event', async () => {
    const { id, event } = await exhaustedEvent(stage);
    await stage.gateway.database.query({ name: '', text: 'delete from events where id = $1' }, [id]);
    const fresh = await post(event, sentBody);
    expect(fresh.body.duplicate).toBe(false);
    await delivered(fresh.body.id);
  });
});

test('rejected webhooks are not deduplicated, and do not make valid ones duplicates', async () => {
  const consumer = await stage.consumer();
  const verified = { skip_signature_verification: false, signing_secret_current: secretText('the-secret') };
  const account = await accountTo(consumer, verified);
  for (const secret of ['wrong', 'wrong'])
    expect((await post(account, '{"id":"r"}', { 'x-secret': secret })).status).toBe(401);
  const right = await post(account, '{"id":"r"}', { 'x-secret': secretText('the-secret') });
  expect(right.body.duplicate).toBe(false);
  await delivered(right.body.id);
  // A webhook with a wrong secret is rejected even if its event is known.
  expect((await post(account, '{"id":"r"}', { 'x-secret': 'wrong' })).status).toBe(401);
  const states = (await eventsOf(account)).map(statesOf);
  expect(states.filter((state: string) => state === 'rejected/null')).toHaveLength(3);
  expect(states).toHaveLength(4);
});
