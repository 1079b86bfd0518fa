import { expect, test } from 'vitest';
import { consumerForTest } from '../support/consumer.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ delaysMs: [20] });

const aTime = expect.toSatisfy((value: unknown) => typeof value === 'number' && value >= 0);

async function exhausted(url: string) {
  const account = await gateway.admin.createAccount({ delivery_url: url });
  const { body } = await gateway.send(account, '{}');
  return gateway.admin.eventually(body.id, (event) => event.delivery_status !== 'pending');
}

test('an attempt that was answered has all its parts, which are not longer than the whole', async () => {
  const consumer = await consumerForTest(503, 200);
  const event = await exhausted(consumer.url);
  expect(event.delivery_history).toMatchObject([
    { number: 1, outcome: 'http_error', waited_ms: aTime, connect_ms: aTime, answer_ms: aTime },
    { number: 2, outcome: 'delivered', waited_ms: aTime, connect_ms: aTime, answer_ms: aTime },
  ]);
  // The whole is rounded to milliseconds, and each part to a tenth.
  for (const { connect_ms, answer_ms, duration_ms } of event.delivery_history)
    expect(connect_ms + answer_ms).toBeLessThanOrEqual(duration_ms + 1);
});

test('an attempt that made no connection has neither a time of connecting nor of the answer', async () => {
  const consumer = await consumerForTest();
  await consumer.close();
  const event = await exhausted(consumer.url);
  expect(event.delivery_history[0]).toMatchObject({ waited_ms: aTime, connect_ms: null, answer_ms: null });
});

test('an attempt whose connection broke before the answer has a time of connecting only', async () => {
  const consumer = await consumerForTest((response) => response.destroy());
  const event = await exhausted(consumer.url);
  expect(event.delivery_history[0]).toMatchObject({ connect_ms: aTime, answer_ms: null, response_code: null });
});

test('a manual attempt was not due at a time, so it has not waited', async () => {
  const consumer = await consumerForTest(500, 500, 200);
  const { id } = await exhausted(consumer.url);
  expect((await gateway.admin.post(`/admin/delivery/retry/${id}`)).status).toBe(202);
  const event = await gateway.admin.eventually(id, (one) => one.delivery_history.length === 3);
  expect(event.delivery_history[2]).toMatchObject({ trigger: 'manual', waited_ms: null, answer_ms: aTime });
});

test('the first attempt of a replay has waited since the replay', async () => {
  const consumer = await consumerForTest(500, 500, 200);
  const { id } = await exhausted(consumer.url);
  await gateway.rows(`update events set received_at = received_at - interval '1 day' where id = $1`, [id]);
  expect((await gateway.admin.post(`/admin/events/${id}/replay`)).status).toBe(202);
  const event = await gateway.admin.eventually(id, (one) => one.delivery_status === 'delivered');
  const [{ generation_at: replayedAt } = {}] = await gateway.rows('select generation_at from events where id = $1', [
    id,
  ]);
  const attempt = event.delivery_history[2];
  expect(attempt).toMatchObject({ generation: 1, waited_ms: aTime });
  expect(Date.parse(attempt.started_at) - replayedAt.getTime()).toBeLessThanOrEqual(attempt.waited_ms + 1);
});
