import { expect, onTestFinished, test } from 'vitest';
import { ensurePartitions } from '../../../src/database/partitions.ts';
import { EventReceiver } from '../../../src/events/event-receiver.ts';
import { OutcomeRecorder } from '../../../src/events/transitions/attempt-recorded.ts';
import { dropDay } from '../../../src/maintenance/retention/drop-day.ts';
import { outcomeOf, receivedEvent } from '../../support/received.ts';
import { hold } from '../../support/replies.ts';
import { openStage as openLife } from '../../support/situations.ts';
import { rows } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { expectExact, midnight, openStage } from './stage.ts';

// A day may be dropped during an attempt of one of its events: a retry does not make a settled event pending.

test('an attempt of a dropped event changes nothing, and other attempts of its batch are recorded', async () => {
  const { gateway, database, failed, receive } = await openStage();
  onTestFinished(() => gateway.stop());
  const gone = await failed(new Date(midnight(40).getTime() + 5_000));
  const id = await receive(new Date());
  expect(await dropDay(database, midnight(40))).toMatchObject({ kind: 'dropped' });
  const recorder = new OutcomeRecorder(database, async () => undefined);
  const recorded = await Promise.all([
    recorder.record(outcomeOf(gone, { trigger: 'manual' })),
    recorder.record(outcomeOf(id)),
  ]);
  expect(recorded).toEqual([null, expect.objectContaining({ recorded: true, deliveryStatus: 'delivered' })]);
  expect(await rows(database, 'select event_id from delivery_attempts')).toEqual([{ event_id: id }]);
  await expectExact(database);
});

test('a retry in flight ends when its day is dropped, and so does its workflow', async () => {
  const { gateway, workflows, consumer: open, close } = await openLife({});
  onTestFinished(close);
  const { database, admin } = gateway;
  const retried = hold();
  const consumer = await open(200, retried.reply);
  const account = await admin.createAccount({ delivery_url: consumer.url });
  await ensurePartitions(database, midnight(40), 1);
  const event = receivedEvent(account, { receivedAt: new Date(midnight(40).getTime() + 5_000) });
  await new EventReceiver(database).receive(event);
  await admin.eventually(event.id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
  await workflows.result(event.id);
  expect((await admin.post(`/admin/delivery/retry/${event.id}`)).status).toBe(202);
  await retried.arrived;
  await until('the day is dropped', async () => (await dropDay(database, midnight(40))).kind === 'dropped');
  retried.answer(200);
  expect(await workflows.result(event.id)).toEqual({
    ...{ outcome: 'already_settled', deliveryStatus: 'delivered' },
    ...{ generation: 0, attempts: 1 },
  });
});
