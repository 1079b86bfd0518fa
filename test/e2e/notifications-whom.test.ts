import { expect, test } from 'vitest';
import { lastAttempt } from '../support/gateway.ts';
import { hold } from '../support/replies.ts';
import {
  accountWith,
  addDestination,
  type Notification,
  notified,
  type Situation,
  sendEvent,
  summarised,
} from '../support/services/notified-events.ts';
import { type Destination, webhookTo } from '../support/services/receivers.ts';
import { useReceivers } from '../support/services/use-receivers.ts';

// Which destinations are notified, and when none is (docs/concepts.md, docs/notifications.md).

const { stage, receivers } = useReceivers();

const pathsTold = () => receivers.hook.deliveries.map(({ url }) => url).toSorted();
const nobody = { webhook: 0, email: 0, chat_one: 0, chat_two: 0 };

/** An event whose last attempt waits for its answer until the test lets it end. */
async function onTheLast(destinations: Destination[]) {
  const held = hold();
  const situation = await accountWith(stage, destinations, [
    ...Array.from({ length: lastAttempt - 1 }, () => 500),
    held.reply,
    500,
  ]);
  const id = await sendEvent(stage, situation);
  await held.arrived;
  return { ...situation, id, held };
}

const changed = async ({ account, ids }: Situation, at: number, change: object) => {
  const path = `/admin/accounts/${account.id}/destinations/${ids[at]}`;
  expect((await stage.gateway.admin.request('PATCH', path, change)).status).toBe(200);
};
const deleted = async ({ account, ids }: Situation, at: number) => {
  const path = `/admin/accounts/${account.id}/destinations/${ids[at]}`;
  expect((await stage.gateway.admin.request('DELETE', path)).status).toBe(204);
};

test('destinations whose condition matches are notified', async () => {
  const conditions: Record<string, string | undefined> = {
    '/none': undefined,
    '/failed': 'delivery_failed',
    '/provider': 'delivery_failed and provider == "generic"',
    '/type': "event_type.startswith('order.')",
    '/attempts': `attempts == ${lastAttempt} and response_code == 500`,
    '/list': 'event_type in ["a", "order.created"] and not provider == "support_chat"',
    '/not-failed': 'not delivery_failed',
    '/other-provider': 'delivery_failed and provider == "support_chat"',
    '/other-type': 'event_type.startswith("invoice")',
    '/other-code': 'response_code == 404',
  };
  const situation = await accountWith(
    stage,
    Object.entries(conditions).map(([path, condition]) =>
      webhookTo(receivers.hook, path, condition === undefined ? {} : { condition }),
    ),
  );
  const event = await notified(stage, await sendEvent(stage, situation), 6);
  expect(pathsTold()).toEqual(['/attempts', '/failed', '/list', '/none', '/provider', '/type']);
  expect(event.notifications.map(({ destination_id }: Notification) => destination_id)).toEqual(
    situation.ids.slice(0, 6),
  );
});

test('a condition on the payload or a header notifies for the right one of two exhausted events', async () => {
  const { hook } = receivers;
  const situation = await accountWith(stage, [
    webhookTo(hook, '/large', { condition: 'payload.amount > 100 and matches(payload.id, "^in-[0-9]+$")' }),
    webhookTo(hook, '/eu', { condition: 'header["X-Region"] == "eu"' }),
    webhookTo(hook, '/probe', { condition: 'header["authorization"].startswith("Bearer")' }),
    webhookTo(hook, '/masked', { condition: 'payload.amount < 100 and header["authorization"] == "[masked]"' }),
  ]);
  const large = await sendEvent(stage, situation, '{"id":"in-1","amount":150}');
  const headers = { 'x-region': 'eu', authorization: 'Bearer do-not-show' };
  const small = await sendEvent(stage, situation, '{"id":"in-2","amount":50}', headers);
  await notified(stage, large, 1);
  await notified(stage, small, 2);
  const toldOf = (path: string) =>
    hook.deliveries.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body.toString()).data.event.id);
  expect(['/large', '/eu', '/probe', '/masked'].map(toldOf)).toEqual([[large], [small], [], [small]]);
});

test.each<[string, Destination[]]>([
  ['there is no destination', []],
  [
    'none matches',
    [
      {
        destination_type: 'chat_one',
        name: 'No',
        config: { webhook_url: 'https://a.test/' },
        condition: 'not delivery_failed',
      },
    ],
  ],
  [
    'all are disabled',
    [{ destination_type: 'chat_two', name: 'Off', config: { webhook_url: 'https://a.test/' }, enabled: false }],
  ],
])('no destination is notified when %s', async (_, destinations) => {
  const id = await sendEvent(stage, await accountWith(stage, destinations));
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'exhausted' });
  expect((await notified(stage, id, 0)).notifications).toEqual([]);
});

test('destinations are notified as configured when the last attempt fails', async () => {
  const { hook } = receivers;
  const event = await onTheLast([
    webhookTo(hook, '/kept'),
    webhookTo(hook, '/disabled'),
    webhookTo(hook, '/deleted'),
    webhookTo(hook, '/old'),
    webhookTo(hook, '/no-longer', { condition: 'delivery_failed' }),
    webhookTo(hook, '/enabled', { enabled: false }),
  ]);
  await changed(event, 1, { enabled: false });
  await deleted(event, 2);
  await changed(event, 3, { name: 'Moved', config: { url: new URL('/new', hook.url).href } });
  await changed(event, 4, { condition: 'provider == "support_chat"' });
  await changed(event, 5, { enabled: true });
  await addDestination(stage.gateway.admin, event.account.id, webhookTo(hook, '/added', { position: 9 }));
  event.held.answer(500);
  const { notifications } = await notified(stage, event.id, 4);
  expect(pathsTold()).toEqual(['/added', '/enabled', '/kept', '/new']);
  expect(notifications.map(({ name }: Notification) => name)).toEqual([
    'Hook /kept',
    'Moved',
    'Hook /enabled',
    'Hook /added',
  ]);
});

test.each<[string, (situation: Situation) => Promise<void>]>([
  ['edited', (s) => changed(s, 0, { name: 'Other', config: { url: new URL('/other', receivers.hook.url).href } })],
  ['disabled', (s) => changed(s, 0, { enabled: false })],
  ['deleted', (s) => deleted(s, 0)],
])('a destination that is %s afterwards is notified as configured before', async (_, change) => {
  const held = hold();
  receivers.hook.replies = [held.reply, 200];
  const situation = await accountWith(stage, [webhookTo(receivers.hook, '/as-it-was')]);
  const id = await sendEvent(stage, situation);
  await held.arrived;
  await change(situation);
  held.answer(500);
  const event = await notified(stage, id, 1);
  expect(summarised(event)).toEqual(['0 webhook sent 2']);
  expect(event.notifications[0]).toMatchObject({ name: 'Hook /as-it-was', destination_id: situation.ids[0] });
  expect(pathsTold()).toEqual(['/as-it-was', '/as-it-was']);
});

test.each(['ack', 'dead', 'deleteAccount'] as const)(
  'no destination is notified after %s during the last attempt',
  async (said) => {
    const { id, account, held } = await onTheLast(receivers.destinations);
    const answer = await stage.operate[said](said === 'deleteAccount' ? account.id : id);
    expect(answer.status).toBeLessThan(300);
    held.answer(500);
    expect((await stage.workflows.result(id)).outcome).toBe(
      { ack: 'acknowledged', dead: 'dead', deleteAccount: 'account_deleted' }[said],
    );
    expect((await stage.gateway.admin.event(id)).notifications).toEqual([]);
    expect(receivers.counts()).toEqual(nobody);
  },
);

test('an event that an operator marked as failed notifies when its attempts are exhausted', async () => {
  const { id, held } = await onTheLast(receivers.destinations);
  expect((await stage.operate.fail(id)).status).toBe(200);
  expect(receivers.counts()).toEqual(nobody);
  held.answer(500);
  await notified(stage, id, 4);
  expect(receivers.counts()).toEqual({ webhook: 1, email: 1, chat_one: 1, chat_two: 1 });
});

test('an event that is delivered by its last attempt notifies no destination', async () => {
  const situation = await accountWith(stage, receivers.destinations, [
    ...Array.from({ length: lastAttempt - 1 }, () => 500),
    200,
  ]);
  const id = await sendEvent(stage, situation);
  expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', attempts: lastAttempt });
  expect((await stage.gateway.admin.event(id)).notifications).toEqual([]);
  expect(receivers.counts()).toEqual(nobody);
});
