import { expect, test } from 'vitest';
import { attemptsOf } from '../support/history.ts';
import { pauseDeliveries, resumeDeliveries, waitsForResumption } from '../support/paused.ts';
import { hold } from '../support/replies.ts';
import { useStage, waitingEvent } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Restarted workers and lost workflows while deliveries are paused.

const stage = useStage({ overdueS: 1 });

test('a new worker delivers nothing until deliveries are resumed, and then everything once', async () => {
  const { gateway } = stage;
  const { admin } = gateway;
  const waiting = await waitingEvent(stage);
  await gateway.stopWorker();
  // The command was recorded before the pause, and no worker has seen it yet.
  expect((await stage.operate.retry(waiting.id)).status).toBe(202);
  await pauseDeliveries(admin);
  const consumer = await stage.consumer();
  const sent = await Promise.all(Array.from({ length: 10 }, () => stage.sendTo(consumer)));
  await gateway.startWorker();
  await until('the workflow has received the retry', async () => {
    const [left] = await gateway.rows('select count(*)::integer as n from event_commands');
    return left?.n === 0 && (await stage.workflows.state(waiting.id)).retries === 1;
  });
  await gateway.stopWorker();
  await gateway.startWorker();
  expect((await admin.request('GET', '/admin/delivery/stats')).body.paused).toMatchObject({ reason: 'a test' });
  const resumedMs = await resumeDeliveries(admin);
  const retried = await admin.eventually(waiting.id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(retried)).toEqual(['0 schedule 1 http_error', '0 manual 1 delivered']);
  for (const { id } of sent) {
    const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
    expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
  }
  expect(consumer.deliveries).toHaveLength(sent.length);
  for (const { atMs } of [...consumer.deliveries, ...waiting.consumer.deliveries.slice(1)])
    expect(atMs).toBeGreaterThanOrEqual(resumedMs);
});

test('an event whose workflow was lost is delivered when deliveries are resumed', async () => {
  const { admin } = stage.gateway;
  const { id } = await waitingEvent(stage);
  await pauseDeliveries(admin);
  await stage.workflows.terminate(id);
  await stage.gateway.rows(`update events set next_attempt_at = now() - interval '1 h' where id = $1`, [id]);
  await until(
    'the sweep has queued it',
    async () => (await stage.gateway.rows('select 1 from event_queue where event_id = $1', [id])).length === 1,
  );
  expect((await stage.workflows.status(id)).status).toBe('TERMINATED');
  await resumeDeliveries(admin);
  const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 schedule 2 delivered']);
});

test('an event of a replay that becomes due waits, and its next run delivers it', async () => {
  const { admin } = stage.gateway;
  const held = hold();
  const { consumer, id } = await stage.sent(200, 500, held.reply, 200);
  await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
  await admin.post(`/admin/events/${id}/replay`);
  await held.arrived;
  await pauseDeliveries(admin);
  held.answer(500);
  await waitsForResumption(stage, id);
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'superseded', generation: 1, attempts: 2 });
  await resumeDeliveries(admin);
  const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.generation === 1);
  expect(attemptsOf(event).slice(-3)).toEqual([
    '1 schedule 1 http_error',
    '1 schedule 2 http_error',
    '1 schedule 3 delivered',
  ]);
  expect(consumer.deliveries).toHaveLength(4);
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', generation: 1, attempts: 3 });
});
