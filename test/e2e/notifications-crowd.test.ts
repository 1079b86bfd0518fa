import { expect, test } from 'vitest';
import { inFlightPerDestination } from '../../src/notifications/sending/destination-slots.ts';
import { hang, hold } from '../support/replies.ts';
import {
  accountWith,
  addDestination,
  allSent,
  type Notification,
  notified,
  sendEvent,
  summarised,
} from '../support/services/notified-events.ts';
import { webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';
import { until } from '../support/until.ts';

// Many concurrent notifications, and changes of an event while it notifies.

const { stage, receivers } = useReceivers({
  // Longer than the test, so that hanging messages do not time out.
  timeLimitMs: 280_000,
  notifications: { waitsMs: [20, 20, 20, 20] },
});

test('a destination that hangs for many events delays neither its neighbours nor other accounts', async () => {
  const dead = await stage.consumer(hang);
  // Half of them are in flight to each destination, and the other half waits.
  const many = 2 * inFlightPerDestination;
  const busy = await accountWith(stage, [webhookTo(dead, '/dead'), webhookTo(receivers.hook, '/alive')]);
  const ids: string[] = [];
  for (let n = 0; n < many; n += 1) ids.push(await sendEvent(stage, busy, `{"id":"${n}","type":"order"}`));
  // The other destination of the account gets all messages while the first one answers none.
  await until('the other destination has all messages', () => receivers.hook.deliveries.length >= many);
  expect(receivers.hook.deliveries).toHaveLength(many);
  await until('the first destination has some', () => dead.deliveries.length > 0);
  const other = await accountWith(stage, receivers.destinations);
  expect(summarised(await notified(stage, await sendEvent(stage, other), 4))).toEqual(allSent);
  other.consumer.replies = [200];
  const delivered = await sendEvent(stage, other, '{"id":"two"}');
  await stage.gateway.admin.eventually(delivered, (e) => e.delivery_status === 'delivered');
  expect((await stage.gateway.admin.event(ids[0] ?? '')).notifications[0].status).toBe('pending');

  dead.replies = [200];
  dead.hangUp();
  // The waiting messages check for a free slot at increasing intervals.
  const events = await Promise.all(ids.map((id) => notified(stage, id, 2, 150_000)));
  const statuses = events.flatMap(({ notifications }) => notifications.map(({ status }: Notification) => status));
  expect(statuses).toEqual(Array(2 * many).fill('sent'));
  expect(receivers.hook.deliveries).toHaveLength(many + 1);
});

test('a hundred destinations of one account are all notified', async () => {
  const situation = await accountWith(stage, []);
  for (let n = 0; n < 100; n += 1)
    await addDestination(
      stage.gateway.admin,
      situation.account.id,
      webhookTo(receivers.hook, `/${n}`, { position: n }),
    );
  const event = await notified(stage, await sendEvent(stage, situation), 100);
  expect(event.notifications.map(({ name }: Notification) => name)).toEqual(
    Array.from({ length: 100 }, (_, n) => `Hook /${n}`),
  );
  expect(new Set(receivers.hook.deliveries.map(({ url }) => url)).size).toBe(100);
  expect(receivers.hook.deliveries).toHaveLength(100);
});

test('when a replay is exhausted during the notifications of the first generation, both are notified', async () => {
  const held = hold();
  receivers.hook.replies = [held.reply, 200];
  const { ids, ...situation } = await accountWith(stage, receivers.destinations);
  const id = await sendEvent(stage, { ids, ...situation });
  await held.arrived;
  expect((await stage.operate.replay(id)).status).toBe(202);
  const again = await stage.gateway.admin.eventually(
    id,
    (e) => e.notifications.filter((n: Notification) => n.status === 'sent').length === 7,
  );
  expect(again.notifications.filter(({ status }: Notification) => status === 'pending')).toMatchObject([
    { generation: 0, destination_type: 'webhook' },
  ]);
  held.answer(200);
  expect(summarised(await notified(stage, id, 8))).toEqual([
    ...allSent,
    ...allSent.map((line) => line.replace('0', '1')),
  ]);
  expect(receivers.counts()).toEqual({ webhook: 2, email: 2, chat_one: 2, chat_two: 2 });
  expect(receivers.hook.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([
    `${id}.0.${ids[0]}`,
    `${id}.1.${ids[0]}`,
  ]);
});

test.each(['ack', 'dead', 'fail'] as const)('pending notifications are sent, also after %s', async (said) => {
  const held = hold();
  receivers.hook.replies = [held.reply, 200];
  const id = await sendEvent(stage, await accountWith(stage, receivers.destinations.slice(0, 1)));
  await held.arrived;
  expect((await stage.operate[said](id)).status).toBe(200);
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.notifications[0]?.status !== 'pending');
  expect(summarised(event)).toEqual(['0 webhook sent 2']);
});
