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

test('an event with a lost workflow gets a new one when deliveries are resumed', async () => {
  const { admin } = stage.gateway;
  const held = hold();
  const { consumer, id } = await stage.sent(held.reply, 200);
  await held.arrived;
  await pauseDeliveries(admin);
  held.answer(500);
  await admin.eventually(id, (e) => e.attempts === 1 && e.status === 'enqueued');
  const lost = await stage.workflows.status(id);
  await stage.workflows.terminate(id);
  await until('the event has a new workflow', async () => {
    const { status, runId } = await stage.workflows.status(id);
    return status === 'RUNNING' && runId !== lost.runId;
  });
  await waitsForResumption(stage, id);
  expect(consumer.deliveries).toHaveLength(1);
  await resumeDeliveries(admin);
  const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 http_error', '0 schedule 2 delivered']);
  expect(consumer.deliveries).toHaveLength(2);
});
