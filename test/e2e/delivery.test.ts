import { describe, expect, test } from 'vitest';
import { startConsumer } from '../support/consumer.ts';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { nineQuickDelaysMs } from '../support/gateway.ts';
import { useGateway } from '../support/use-gateway.ts';

describe.each(firstAttemptsBy)('first attempts by %s', (_, apiDelivers) => {
  const gateway = useGateway({ apiDelivers, delaysMs: nineQuickDelaysMs });

  test('an event is delivered by the first attempt', async () => {
    const consumer = await startConsumer();
    const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
    const { body, status } = await gateway.send(account, '{"id":"one"}');
    expect(status).toBe(202);
    const event = await gateway.admin.eventually(
      body.id,
      (e) => e.delivery_status === 'delivered' && e.status === 'enqueued',
    );
    expect(event.attempts).toBe(1);
    expect(consumer.deliveries).toHaveLength(1);
    await consumer.close();
  });

  test('an event is delivered by the third attempt after two failures', async () => {
    const consumer = await startConsumer(500, 503, 200);
    const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
    const { body } = await gateway.send(account, '{"id":"two"}');
    const event = await gateway.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
    expect(
      event.delivery_history.map((a: { number: number; response_code: number }) => [a.number, a.response_code]),
    ).toEqual([
      [1, 500],
      [2, 503],
      [3, 200],
    ]);
    await consumer.close();
  });

  test('an event whose consumer always answers 500 fails after ten attempts, numbered 1 to 10', async () => {
    const consumer = await startConsumer(500);
    const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
    const { body } = await gateway.send(account, '{"id":"three"}');
    const event = await gateway.admin.eventually(body.id, (e) => e.delivery_status === 'failed');
    expect(event.status).toBe('failed');
    expect(event.delivery_history.map((a: { number: number }) => a.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(consumer.deliveries).toHaveLength(10);
    await consumer.close();
  });
});
