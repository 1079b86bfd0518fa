import { expect, test } from 'vitest';
import type { Said, SendNotice } from '../../src/notifications/notice.ts';
import { overdueNotifications } from '../../src/notifications/notification-store.ts';
import { Notifier } from '../../src/notifications/sending/notifier.ts';
import { OverdueNotifications } from '../../src/notifications/sending/overdue-notifications.ts';
import { createSummaries } from '../../src/notifications/sending/summaries.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { exhausted as exhaustedAt, never, notifierDeps, refused, service, taken } from './services.ts';
import { useNotificationStage } from './stage.ts';

const stage = useNotificationStage();

const exhausted = (fields: Record<string, unknown> = {}) => exhaustedAt(stage, fields);
const deps = (send: SendNotice, more: Parameters<typeof notifierDeps>[2] = {}) => notifierDeps(stage, send, more);

test('the sweep finds overdue notifications only', async () => {
  const [due, waiting, sent] = [await exhausted(), await exhausted(), await exhausted()];
  await new Notifier(deps(service(taken).send)).notify(sent, never);
  await new Notifier(deps(service(refused()).send, { waitsMs: [60_000] })).notify(waiting, never);
  expect(await overdueNotifications(stage.database, { overdueS: 3600, perDestination: 8, except: [] })).toEqual([]);
  expect(await overdueNotifications(stage.database, { overdueS: 0, perDestination: 8, except: [] })).toEqual([
    { ...due, destinationType: 'webhook' },
  ]);
});

test('a summary is sent once when it is due, retried after a failure, and shown with its events', async () => {
  const burst = { limit: 1, windowMs: 400 };
  const account = await stage.account();
  await stage.destination(account, { destination_type: 'chat_two', config: { webhook_url: 'http://127.0.0.1:9/c' } });
  const ids = await Promise.all(Array.from({ length: 4 }, () => stage.received(account)));
  await stage.exhaust(ids, stage.recorder(burst));
  const busy = refused({ responseCode: 429, retryAfterMs: 0 });
  const { notices, send } = service(busy, busy, busy, busy, busy, refused(), taken);
  const summaries = createSummaries(deps(send));
  const others = createSummaries(deps(send));
  summaries.start();
  others.start();
  await until('the summary is sent', async () => (await stage.summaries())[0]?.status === 'sent');
  await Promise.all([summaries.stop(), others.stop()]);
  expect(notices).toHaveLength(7);
  const folded = (await stage.notifications()).filter((row) => row.status === 'suppressed').map((row) => row.event_id);
  expect(notices[6]).toMatchObject({
    ...{ kind: 'summary', events: 3, account: { provider: 'generic', account_slug: 'slug', app_key: 'tests' } },
    first: folded.map((id) => ({ id, error: 'the consumer answered 503' })),
  });
  expect(await stage.summaries()).toMatchObject([{ status: 'sent', attempts: 2, events: 3 }]);
  const shown = await stage.gateway.admin.event(folded[0] ?? '');
  expect(shown.notifications).toMatchObject([
    { status: 'suppressed', attempts: 0, sent_at: null, summary: { events: 3, status: 'sent' } },
  ]);
});

test('a summary whose last try has no recorded outcome fails, and is not sent again', async () => {
  const account = await stage.account();
  await stage.destination(account, { destination_type: 'chat_two', config: { webhook_url: 'http://127.0.0.1:9/c' } });
  const ids = [await stage.received(account), await stage.received(account)];
  await stage.exhaust(ids, stage.recorder({ limit: 1, windowMs: 60_000 }));
  // Five tries were begun. The worker of the last one ended, and its claim has expired.
  await rows(stage.database, 'update notification_summaries set attempts = 5, due_at = now()');
  const { notices, send } = service(taken);
  const summaries = createSummaries(deps(send));
  summaries.start();
  await until('the summary is settled', async () => (await stage.summaries())[0]?.status !== 'pending');
  await summaries.stop();
  expect(await stage.summaries()).toMatchObject([
    { status: 'failed', attempts: 5, due_at: null, error: 'the worker ended during the last try; it may have arrived' },
  ]);
  expect(notices).toEqual([]);
});

test('the sweep sends all to a working destination, past one that hangs and one that is held back', async () => {
  const account = await stage.account();
  const [taking, hanging, held] = await Promise.all(
    ['a', 'b', 'c'].map((name) => stage.destination(account, { name })),
  );
  const ids = await Promise.all(Array.from({ length: 60 }, () => stage.received(account)));
  await stage.exhaust(ids);
  const { promise: never_, resolve: release } = Promise.withResolvers<Said>();
  const told: string[] = [];
  const common = deps(async (_settings, notice) => {
    const [, , destination = ''] = notice.id.split('.');
    if (destination === hanging) return never_;
    told.push(destination);
    return taken;
  });
  common.slots.hold(held ?? '', 60_000);
  const notifier = new Notifier(common);
  const sweep = new OverdueNotifications({ ...common, notifier, overdueS: 0.2 });
  sweep.start();
  await until('the working destination has all messages', () => told.length === 60);
  expect(new Set(told)).toEqual(new Set([taking]));
  release(taken);
  await sweep.stop();
  const waiting = (await stage.notifications()).filter((row) => row.destination_id === held);
  expect(waiting.every((row) => row.status === 'pending' && row.attempts === 0)).toBe(true);
});

test('the sweep leaves room for a workflow’s own notification', async () => {
  const account = await stage.account();
  const destinationId = await stage.destination(account);
  const ids = await Promise.all(Array.from({ length: 30 }, () => stage.received(account)));
  await stage.exhaust(ids);
  const { promise: answer, resolve } = Promise.withResolvers<Said>();
  const notifier = new Notifier(deps(service(() => answer).send));
  const refusedIds: string[] = [];
  const inPassing = ids.map(async (eventId) => {
    const told = await notifier.notifyInPassing({ eventId, generation: 0, destinationId }, never);
    if (told.kind === 'later') refusedIds.push(eventId);
  });
  await until('22 calls have returned', () => refusedIds.length === 22);
  resolve(taken);
  await Promise.all(inPassing);
  const [left = ''] = refusedIds;
  expect(await notifier.notify({ eventId: left, generation: 0, destinationId }, never)).toEqual({
    ...{ kind: 'settled', status: 'sent' },
  });
});

test('each try sends the same notice, even if the event has changed since', async () => {
  const key = await exhausted();
  const { notices, send } = service(refused(), taken);
  const notifier = new Notifier(deps(send));
  await notifier.notify(key, never);
  await rows(
    stage.database,
    `update events set status = 'processed', delivery_status = 'delivered', generation = 1, attempts = 1, last_error = null,
       response_code = 200, delivered_at = now() where id = $1`,
    [key.eventId],
  );
  await notifier.notify(key, never);
  expect(notices[1]).toEqual(notices[0]);
  expect(notices[1]).toMatchObject({ event: { delivery_status: 'failed', generation: 0, response_code: 503 } });
});

test('delayed messages count for the burst limit from the time when they are sent', async () => {
  const burst = { limit: 2, windowMs: 60_000 };
  const account = await stage.account();
  const destinationId = await stage.destination(account, {
    ...{ destination_type: 'chat_one', config: { webhook_url: 'http://127.0.0.1:9/c' } },
  });
  const exhaustTwo = async () => {
    const ids = [await stage.received(account), await stage.received(account)];
    await stage.exhaust(ids, stage.recorder(burst));
    return ids;
  };
  const passes = async (seconds: number) => {
    const values = [`${seconds} s`];
    await rows(stage.database, 'update notifications set failed_at = failed_at - $1::interval', values);
    await rows(
      stage.database,
      'update notification_bursts set told_at = array(select t - $1::interval from unnest(told_at) t)',
      values,
    );
    await rows(stage.database, `update notification_summaries set status = 'sent', due_at = null`);
  };
  const statuses = async (ids: string[]) =>
    (await stage.notifications()).filter((row) => ids.includes(row.event_id)).map((row) => row.status);
  const first = await exhaustTwo();
  await passes(61);
  // The first two are not sent yet, and count against the limit.
  expect(await statuses(await exhaustTwo())).toEqual(['suppressed', 'suppressed']);
  await passes(200);
  const notifier = new Notifier(deps(service(taken).send, { burstMs: burst.windowMs }));
  for (const eventId of first) await notifier.notify({ eventId, generation: 0, destinationId }, never);
  // Now they are sent.
  expect(await statuses(await exhaustTwo())).toEqual(['suppressed', 'suppressed']);
  await passes(200);
  expect(await statuses(await exhaustTwo())).toEqual(['pending', 'pending']);
});
