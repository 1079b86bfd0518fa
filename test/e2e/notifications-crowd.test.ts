import { expect, test } from 'vitest';
import { inFlightPerDestination } from '../../src/notifications/sending/destination-turns.ts';
import { hang, hold } from '../support/replies.ts';
import { type Receivers, webhookTo } from '../support/services/receivers.ts';
import { playWithReceivers } from '../support/services/stage.ts';
import {
  accountWith,
  addDestination,
  allSent,
  type Notification,
  sendEvent,
  summarised,
  told,
} from '../support/services/telling.ts';
import type { Stage } from '../support/situations.ts';

// Many notifications at once, and what else happens to an event meanwhile.

let stage: Stage;
let receivers: Receivers;
playWithReceivers(
  {
    // Longer than the test: what hangs, hangs.
    timeLimitMs: 90_000,
    notifications: { waitsMs: [20, 20, 20, 20] },
  },
  (...opened) => {
    [stage, receivers] = opened;
  },
);

test('a destination that hangs on many events holds up neither its neighbours nor other accounts', {
  timeout: 300_000,
}, async () => {
  const dead = await stage.consumer(hang);
  // Each destination gets so many at once, and as many wait for their turn.
  const many = 2 * inFlightPerDestination;
  const busy = await accountWith(stage, [webhookTo(dead, '/dead'), webhookTo(receivers.hook, '/alive')]);
  const ids: string[] = [];
  for (let n = 0; n < many; n += 1) ids.push(await sendEvent(stage, busy, `{"id":"${n}","type":"order"}`));
  // The neighbour at the same account is told of every one while the other answers nothing.
  await expect.poll(() => receivers.hook.deliveries.length, { timeout: 90_000, interval: 100 }).toBe(many);
  expect(dead.deliveries.length).toBeGreaterThan(0);
  const other = await accountWith(stage, receivers.destinations);
  expect(summarised(await told(stage, await sendEvent(stage, other), 4))).toEqual(allSent);
  other.consumer.replies = [200];
  const delivered = await sendEvent(stage, other, '{"id":"two"}');
  await stage.gateway.admin.eventually(delivered, (e) => e.delivery_status === 'delivered');
  expect((await stage.gateway.admin.event(ids[0] ?? '')).notifications[0].status).toBe('pending');

  dead.replies = [200];
  dead.hangUp();
  // Those that wait for the destination's turn look for it now and then, more and more seldom.
  const events = await Promise.all(ids.map((id) => told(stage, id, 2, 150_000)));
  const statuses = events.flatMap(({ notifications }) => notifications.map(({ status }: Notification) => status));
  expect(statuses).toEqual(Array(2 * many).fill('sent'));
  expect(receivers.hook.deliveries).toHaveLength(many + 1);
});

test('a hundred destinations of one account are all told', async () => {
  const situation = await accountWith(stage, []);
  for (let n = 0; n < 100; n += 1)
    await addDestination(
      stage.gateway.admin,
      situation.account.id,
      webhookTo(receivers.hook, `/${n}`, { position: n }),
    );
  const event = await told(stage, await sendEvent(stage, situation), 100);
  expect(event.notifications.map(({ name }: Notification) => name)).toEqual(
    Array.from({ length: 100 }, (_, n) => `Hook /${n}`),
  );
  expect(new Set(receivers.hook.deliveries.map(({ url }) => url)).size).toBe(100);
  expect(receivers.hook.deliveries).toHaveLength(100);
});

test('a replay is exhausted while the first generation is still being told: both are told', async () => {
  const held = hold();
  receivers.hook.replies = [held.reply, 200];
  const { ids, ...situation } = await accountWith(stage, receivers.destinations);
  const id = await sendEvent(stage, { ids, ...situation });
  await held.arrived;
  expect((await stage.operate.replay(id)).status).toBe(202);
  const again = await stage.gateway.admin.eventually(
    id,
    (e) => e.notifications.filter((n: Notification) => n.generation === 1 && n.status === 'sent').length === 4,
  );
  expect(again.notifications.filter(({ status }: Notification) => status === 'pending')).toHaveLength(1);
  held.answer(200);
  expect(summarised(await told(stage, id, 8))).toEqual([...allSent, ...allSent.map((line) => line.replace('0', '1'))]);
  expect(receivers.counts()).toEqual({ webhook: 2, email: 2, chat_one: 2, chat_two: 2 });
  expect(receivers.hook.deliveries.map(({ headers }) => headers['webhook-id'])).toEqual([
    `${id}.0.${ids[0]}`,
    `${id}.1.${ids[0]}`,
  ]);
});

test.each(['ack', 'dead', 'fail'] as const)('what was to be told is told, also after %s', async (said) => {
  const held = hold();
  receivers.hook.replies = [held.reply, 200];
  const id = await sendEvent(stage, await accountWith(stage, receivers.destinations.slice(0, 1)));
  await held.arrived;
  expect((await stage.operate[said](id)).status).toBe(200);
  held.answer(500);
  const event = await stage.gateway.admin.eventually(id, (e) => e.notifications[0]?.status !== 'pending');
  expect(summarised(event)).toEqual(['0 webhook sent 2']);
});
