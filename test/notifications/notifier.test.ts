import { expect, test } from 'vitest';
import type { Said, SendNotice } from '../../src/notifications/notice.ts';
import { claim } from '../../src/notifications/notification-store.ts';
import { Notifier, type Told } from '../../src/notifications/sending/notifier.ts';
import { randomKeyring } from '../support/keyring.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { exhausted as exhaustedAt, never, notifierDeps, refused, service, taken } from './services.ts';
import { useNotificationStage } from './stage.ts';

const stage = useNotificationStage();

const exhausted = (fields: Record<string, unknown> = {}) => exhaustedAt(stage, fields);
const deps = (send: SendNotice, more: Parameters<typeof notifierDeps>[2] = {}) => notifierDeps(stage, send, more);
const only = async () => (await stage.notifications())[0];

test('concurrent calls, also of another worker, make one try', async () => {
  const key = await exhausted();
  const { promise: answer, resolve } = Promise.withResolvers<Said>();
  const { notices, send } = service(() => answer);
  const [one, other] = [new Notifier(deps(send)), new Notifier(deps(send))];
  const asked = [one.notify(key, never), one.notify(key, never)];
  await until('the first try has started', async () => notices.length > 0 || null);
  expect(await other.notify(key, never)).toMatchObject({ kind: 'later' });
  resolve(taken);
  expect(await Promise.all(asked)).toEqual([
    { kind: 'settled', status: 'sent' },
    { kind: 'settled', status: 'sent' },
  ]);
  expect(notices).toHaveLength(1);
  expect(await other.notify(key, never)).toEqual({ kind: 'settled', status: 'sent' });
  expect(await only()).toMatchObject({ status: 'sent', attempts: 1, due_at: null, error: null });
});

test('a notice has the key, the time, the error, and the payload only if the destination asks for it', async () => {
  const key = await exhausted();
  const mail = await exhausted({
    ...{ destination_type: 'email', config: { addresses: ['a@ops.test'], include_payload: true } },
  });
  const { notices, send } = service(taken);
  const notifier = new Notifier(deps(send));
  await notifier.notify(key, never);
  await notifier.notify(mail, never);
  expect(notices).toMatchObject([
    {
      ...{ kind: 'delivery_failed', id: `${key.eventId}.0.${key.destinationId}`, sample: false, payload: null },
      ...{ error: 'the consumer answered 503', attempts: 1, event: { id: key.eventId, delivery_status: 'failed' } },
      dashboardUrl: `https://gateway.test/dashboard/events/${key.eventId}`,
    },
    { payload: { contentType: null, body: Buffer.from('body') } },
  ]);
});

test('a notification fails after five tries, each recorded with its error', async () => {
  const key = await exhausted();
  const { notices, send } = service(refused(), refused(), refused(), refused(), refused({ error: 'the last straw' }));
  const notifier = new Notifier(deps(send));
  for (const waits of [true, true, true, true, false]) {
    expect(await notifier.notify(key, never)).toEqual(
      waits ? { kind: 'later', waitMs: 0 } : { kind: 'settled', status: 'failed' },
    );
  }
  expect(await notifier.notify(key, never)).toEqual({ kind: 'settled', status: 'failed' });
  expect(notices).toHaveLength(5);
  expect(await only()).toMatchObject({ status: 'failed', attempts: 5, error: 'the last straw', due_at: null });
});

test('a permanent failure is not retried', async () => {
  const key = await exhausted();
  const { send } = service(refused({ permanent: true, error: 'no SENDGRID_API_KEY' }));
  expect(await new Notifier(deps(send)).notify(key, never)).toEqual({ kind: 'settled', status: 'failed' });
  expect(await only()).toMatchObject({ status: 'failed', attempts: 1, error: 'no SENDGRID_API_KEY' });
});

test('a notification is not retried before its delay is over', async () => {
  const key = await exhausted();
  const { notices, send } = service(refused());
  const notifier = new Notifier(deps(send, { waitsMs: [60_000] }));
  expect(await notifier.notify(key, never)).toEqual({ kind: 'later', waitMs: 60_000 });
  const again = await notifier.notify(key, never);
  expect(again).toMatchObject({ kind: 'later' });
  expect(again.kind === 'later' && again.waitMs > 50_000 && again.waitMs <= 60_000).toBe(true);
  expect(notices).toHaveLength(1);
});

test('Retry-After also delays other messages to that destination, without using up a try', async () => {
  const account = await stage.account();
  const destinationId = await stage.destination(account);
  const other = await stage.destination(account, { position: 1 });
  const [eventId = '', second = ''] = [await stage.received(account), await stage.received(account)];
  await stage.exhaust([eventId, second]);
  const { notices, send } = service(refused({ responseCode: 429, retryAfterMs: 30_000 }), taken);
  const notifier = new Notifier(deps(send));
  expect(await notifier.notify({ eventId, generation: 0, destinationId }, never)).toEqual({
    ...{ kind: 'later', waitMs: 30_000 },
  });
  expect(await notifier.notify({ eventId: second, generation: 0, destinationId }, never)).toMatchObject({
    kind: 'later',
  });
  expect(notices).toHaveLength(1);
  const [held] = (await stage.notifications()).filter(
    (row) => row.event_id === second && row.destination_id === destinationId,
  );
  expect(held).toMatchObject({ attempts: 0, status: 'pending' });
  expect(await notifier.notify({ eventId: second, generation: 0, destinationId: other }, never)).toEqual({
    ...{ kind: 'settled', status: 'sent' },
  });
});

test('a try is lost when its worker dies; the next one is made when the claim has expired', async () => {
  const key = await exhausted();
  await claim(stage.database, key, { tries: 5, leaseS: 60 });
  const { notices, send } = service(taken);
  const notifier = new Notifier(deps(send));
  expect(await notifier.notify(key, never)).toMatchObject({ kind: 'later' });
  expect(notices).toHaveLength(0);
  await rows(stage.database, 'update notifications set due_at = now()');
  expect(await notifier.notify(key, never)).toEqual({ kind: 'settled', status: 'sent' });
  expect(await only()).toMatchObject({ status: 'sent', attempts: 2 });
});

test('a last try whose outcome is unknown counts as failed, with an error that says so', async () => {
  const key = await exhausted();
  for (let attempt = 1; attempt <= 5; attempt++) {
    expect(await claim(stage.database, key, { tries: 5, leaseS: 0 })).toMatchObject({ attempt });
  }
  expect(await claim(stage.database, key, { tries: 5, leaseS: 0 })).toBeNull();
  const { notices, send } = service(taken);
  expect(await new Notifier(deps(send)).notify(key, never)).toEqual({ kind: 'settled', status: 'failed' });
  expect(notices).toHaveLength(0);
  expect(await only()).toMatchObject({ status: 'failed', error: expect.stringContaining('may have arrived') });
});

test('a try that ends after its claim expired counts if it succeeded, but not if it failed', async () => {
  const { promise: claimedAnew, resolve } = Promise.withResolvers<void>();
  const slow = (said: Said) => service(() => claimedAnew.then(() => said));
  const [late, lost] = [await exhausted(), await exhausted()];
  const [accepting, refusing] = [slow(taken), slow(refused())];
  const lease = { leaseS: 0.02 };
  const sending = new Notifier(deps(accepting.send, lease)).notify(late, never);
  const failing = new Notifier(deps(refusing.send, lease)).notify(lost, never);
  await until('both tries have started', () => accepting.notices.length + refusing.notices.length === 2);
  for (const key of [late, lost]) {
    const again = await until('the claim has expired', () => claim(stage.database, key, { tries: 5, leaseS: 60 }));
    expect(again).toMatchObject({ attempt: 2 });
  }
  resolve();
  await Promise.all([sending, failing]);
  const states = Object.fromEntries((await stage.notifications()).map((row) => [row.event_id, row]));
  expect(states[late.eventId]).toMatchObject({ status: 'sent', attempts: 2 });
  expect(states[lost.eventId]).toMatchObject({ status: 'pending', attempts: 2, error: null });
});

test('a config that does not decrypt is a permanent failure, whose error contains none of it', async () => {
  const key = await exhausted();
  const { notices, send } = service(taken);
  const notifier = new Notifier(deps(send, { keyring: randomKeyring() }));
  expect(await notifier.notify(key, never)).toEqual({ kind: 'settled', status: 'failed' });
  expect(notices).toHaveLength(0);
  expect((await only())?.error).toBe('the config of the destination does not decrypt with SECRETS_KEY');
});

test('an error is stored without the characters that PostgreSQL refuses', async () => {
  const key = await exhausted();
  await new Notifier(deps(service(refused({ error: 'a\0b\ud800' })).send)).notify(key, never);
  expect((await only())?.error).toBe('a\ufffdb\ufffd');
});

test('at most eight messages to a destination are in flight; the others are told when to ask again', async () => {
  const account = await stage.account();
  const destinationId = await stage.destination(account);
  const ids = await Promise.all(Array.from({ length: 20 }, () => stage.received(account)));
  await stage.exhaust(ids);
  const { promise: gate, resolve: open } = Promise.withResolvers<Said>();
  const { notices, send } = service(() => gate);
  const notifier = new Notifier(deps(send));
  const told: Told[] = [];
  const asked = ids.map(async (eventId) =>
    told.push(await notifier.notify({ eventId, generation: 0, destinationId }, never)),
  );
  await until('the other calls have returned', () => told.length === 12);
  expect(told.every(({ kind }) => kind === 'later')).toBe(true);
  open(taken);
  await Promise.all(asked);
  expect(notices).toHaveLength(8);
});

test('a missing notification is `gone`, and one in a summary stays unchanged', async () => {
  const notifier = new Notifier(deps(service(taken).send));
  const key = await exhausted();
  expect(await notifier.notify({ ...key, generation: 7 }, never)).toEqual({ kind: 'gone' });
  await rows(stage.database, `update notifications set status = 'suppressed', due_at = null`);
  expect(await notifier.notify(key, never)).toEqual({ kind: 'settled', status: 'suppressed' });
});
