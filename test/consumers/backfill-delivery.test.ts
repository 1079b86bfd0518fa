import { describe, expect, test } from 'vitest';
import { bulkWorkerOf } from '../events/bulk/support.ts';
import { startConsumer } from '../support/consumer.ts';
import { instantDelaysMs } from '../support/gateway.ts';
import { useQueueStage } from '../support/queue-stage.ts';
import { useStage } from '../support/situations.ts';
import { until } from '../support/until.ts';
import { pastOf } from './backfill-support.ts';

describe.each([['an api'], ['workflows']])('with first attempts by %s', (by) => {
  const stage = useStage({ delaysMs: instantDelaysMs, apiDelivers: by === 'an api' });

  test('events of a backfill are delivered with the bytes of their webhook, and marked', async () => {
    const [main, added] = [await stage.consumer(), await stage.consumer()];
    const past = await pastOf(stage.gateway, { delivery_url: main.url });
    const [id = ''] = await past.send({ n: 1 });
    await stage.gateway.admin.eventually(id, (event) => event.delivery_status === 'delivered');
    const late = await past.consumers.made('late', { url: added.url });
    await past.ordered('late');
    const event = await until('the event is made', async () => (await past.events(late))[0]);
    await stage.workflowResult(event.id);
    // The start of a workflow is recorded after it, so perhaps after its end.
    const isStarted = (shown: { status: string }) => shown.status === 'enqueued';
    expect(await stage.gateway.admin.eventually(event.id, isStarted)).toMatchObject({
      ...{ delivery_status: 'delivered', attempts: 1 },
      delivery_history: [{ number: 1, generation: 0, trigger: 'schedule', outcome: 'delivered' }],
    });
    expect(added.deliveries).toHaveLength(1);
    expect(added.deliveries[0]?.headers).toMatchObject({
      ...{ 'webhook-id': event.id, 'x-webhook-request-id': id, 'x-webhook-consumer': 'late' },
      'x-webhook-backfill': 'true',
    });
    expect(added.deliveries[0]?.body).toEqual(main.deliveries[0]?.body);
    expect(main.deliveries).toHaveLength(1);
    expect(main.deliveries[0]?.headers).not.toHaveProperty('x-webhook-backfill');
    expect(await stage.gateway.rows('select 1 from event_queue where event_id = $1', [event.id])).toEqual([]);
  });

  test('an event of a backfill that fails is retried and exhausted as any other, and can be replayed', async () => {
    const [main, added] = [await stage.consumer(), await stage.consumer(500, 500, 500, 200)];
    const past = await pastOf(stage.gateway, { delivery_url: main.url });
    await past.send({ n: 1 });
    const late = await past.consumers.made('late', { url: added.url });
    await past.ordered('late');
    const event = await until('the event is made', async () => (await past.events(late))[0]);
    const failed = await stage.gateway.admin.eventually(event.id, (e) => e.delivery_status === 'failed');
    expect(failed).toMatchObject({ status: 'failed', attempts: 3 });
    expect(failed.delivery_history.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
    expect((await stage.gateway.admin.post(`/admin/events/${event.id}/replay`)).status).toBe(202);
    await stage.gateway.admin.eventually(event.id, (e) => e.delivery_status === 'delivered');
    expect(new Set(added.deliveries.map(({ headers }) => headers['x-webhook-backfill']))).toEqual(new Set(['true']));
  });
});

describe('in the queue', () => {
  const stage = useQueueStage();

  test('new events come before those of a backfill', async () => {
    const consumer = await startConsumer();
    try {
      const past = await pastOf(stage.gateway);
      const old = await past.send({ n: 1 }, { n: 2 }, { n: 3 });
      const late = await past.consumers.made('late', { url: consumer.url });
      await past.ordered('late');
      expect(await bulkWorkerOf(stage.gateway).round()).toBe('more');
      const recent = await past.send({ n: 4 }, { n: 5 });
      // With one slot, attempts are made one after another.
      stage.process({ accountConcurrency: 1 }).firstAttempts.start();
      await until('all are delivered', () => consumer.deliveries.length === 5);
      expect(consumer.deliveries.map(({ headers }) => headers['x-webhook-request-id'])).toEqual([...recent, ...old]);
      await until('all are recorded', async () =>
        (await past.events(late)).every((event) => event.delivery_status === 'delivered'),
      );
    } finally {
      await stage.clear();
      await consumer.close();
    }
  });
});
