import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { firstAttemptsBy } from '../support/first-attempts.ts';
import { startGateway } from '../support/gateway.ts';
import { attemptsOf, statesOf } from '../support/history.ts';
import { pauseDeliveries, resumeDeliveries } from '../support/paused.ts';
import { hold } from '../support/replies.ts';
import { useStage } from '../support/situations.ts';
import { useForAll } from '../support/use.ts';

// Events that are received while deliveries are paused.

/** Each process looks for work at least once in this time, and received events wake it in addition. */
const looksMs = 1_200;

describe.each(firstAttemptsBy)('first attempts by %s', (_, apiDelivers) => {
  const stage = useStage({ apiDelivers });

  test('events are accepted and wait; after the resumption each is delivered once, by its first attempt', async () => {
    const { admin } = stage.gateway;
    await pauseDeliveries(admin);
    const consumer = await stage.consumer();
    const sent = await Promise.all(Array.from({ length: 6 }, () => stage.sendTo(consumer)));
    await sleep(looksMs);
    for (const { id } of sent) {
      const event = await admin.event(id);
      expect([statesOf(event), event.attempts, event.delivery_history]).toEqual(['received/pending', 0, []]);
    }
    expect((await admin.request('GET', '/admin/delivery/stats')).body.attempts).toBe(0);
    const resumedMs = await resumeDeliveries(admin);
    for (const { id } of sent) {
      const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
      expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
      const workflow = await stage.workflowResult(id);
      // A delivery by the api needs none.
      if (apiDelivers && stage.gateway.eventWorkflows === 'on_retry') expect(workflow).toBeNull();
      else expect(workflow).toMatchObject({ generation: 0 });
    }
    expect(consumer.deliveries.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(
      sent.map(({ id }) => id).toSorted(),
    );
    for (const { atMs } of consumer.deliveries) expect(atMs).toBeGreaterThanOrEqual(resumedMs);
  });

  test('an attempt in flight ends and is recorded', async () => {
    const { admin } = stage.gateway;
    const held = hold();
    const { id } = await stage.sendTo(await stage.consumer(held.reply));
    await held.arrived;
    await pauseDeliveries(admin);
    held.answer(200);
    const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered');
    expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
    await resumeDeliveries(admin);
  });
});

describe('with one concurrent attempt per account', () => {
  const stage = useStage({ accountConcurrency: 1 });

  test('waiting events are delivered in the order of receipt, even while further events arrive', async () => {
    const { admin, baseUrl } = stage.gateway;
    await pauseDeliveries(admin);
    const [consumer, elsewhere] = [await stage.consumer(), await stage.consumer()];
    const account = await admin.createAccount({ delivery_url: consumer.url });
    const other = await admin.createAccount({ delivery_url: elsewhere.url });
    const bodies = Array.from({ length: 25 }, (_, n) => `{"id":"${n}"}`);
    for (const body of bodies) expect((await send(baseUrl, account, body)).status).toBe(202);
    await resumeDeliveries(admin);
    // Each webhook wakes the first attempts.
    for (let n = 0; consumer.deliveries.length < bodies.length; n++)
      expect((await send(baseUrl, other, `{"id":"other-${n}"}`)).status).toBe(202);
    expect(consumer.deliveries.map(({ body }) => body.toString())).toEqual(bodies);
  });
});

describe('with two apis and two workers', () => {
  const stage = useStage({});
  // A second api and worker.
  useForAll(
    () => startGateway({ databaseUrl: stage.gateway.databaseUrl, inPlaceOf: stage.gateway }),
    (gateway) => gateway.stop(),
  );

  test('all of them pause, and nothing is delivered twice afterwards', async () => {
    const { admin } = stage.gateway;
    await pauseDeliveries(admin);
    const consumer = await stage.consumer();
    const sent = await Promise.all(Array.from({ length: 20 }, () => stage.sendTo(consumer)));
    await sleep(looksMs);
    expect(consumer.deliveries).toEqual([]);
    await resumeDeliveries(admin);
    for (const { id } of sent) {
      const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
      expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
    }
    expect(consumer.deliveries).toHaveLength(sent.length);
  });
});
