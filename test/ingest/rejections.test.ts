import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rejectedEvent, rejectionRecorder } from '../support/received.ts';
import { secretText } from '../support/secrets.ts';
import { eventsOf } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

const closedAccount = () =>
  gateway.admin.createAccount({
    skip_signature_verification: false,
    signing_secret_current: secretText('closed-secret'),
  });
const bad = (account: { provider: string; account_slug: string }, body = '{"id":"same","type":"t"}') =>
  gateway.send(account, body, { 'x-secret': 'guess' });

/** How many rejected webhooks were counted for an account, minute by minute. */
async function counted(accountId: string): Promise<number[]> {
  const found = await gateway.rows('select seen from rejection_counts where account_id = $1 order by minute', [
    accountId,
  ]);
  return found.map((row) => row.seen);
}

test('a rejected webhook is recorded completely, and is not queued for delivery', async () => {
  const account = await closedAccount();
  expect((await bad(account)).status).toBe(401);
  const [event, ...others] = await eventsOf(gateway.database, account.id);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    status: 'rejected',
    delivery_status: null,
    rejection_reason: 'bad_signature',
    external_id: 'same',
    event_type: 't',
    app_key: 'tests',
    generation: 0,
    attempts: 0,
  });
  expect(event?.body.toString()).toBe('{"id":"same","type":"t"}');
  expect(await gateway.rows('select 1 from event_queue where event_id = $1', [event?.id])).toEqual([]);
  expect((await gateway.admin.request('GET', '/admin/events?status=rejected')).body).toMatchObject([
    { id: event?.id, rejection_reason: 'bad_signature', delivery_status: null },
  ]);
});

test('rejected webhooks are never duplicates of each other', async () => {
  const account = await closedAccount();
  for (let n = 0; n < 3; n++) expect((await bad(account)).status).toBe(401);
  expect(await eventsOf(gateway.database, account.id)).toHaveLength(3);
});

/** Waits for the next minute if this one is nearly over, so that the hundred below fall into two minutes at most. */
const leaveRoomInMinute = async () => {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 5_000) await sleep(leftMs + 100);
};

test.each([
  ['one after another', false],
  ['at once', true],
])('of a hundred in a minute, %s, sixty have rows and all are counted', async (_name, atOnce) => {
  const [account, other] = [await closedAccount(), await closedAccount()];
  await leaveRoomInMinute();
  const statuses: number[] = [];
  const one = async () => statuses.push((await bad(account)).status);
  if (atOnce) await Promise.all(Array.from({ length: 100 }, one));
  else for (let n = 0; n < 100; n++) await one();
  expect(statuses).toEqual(Array(100).fill(401));
  const minutes = await counted(account.id);
  expect(minutes.reduce((sum, seen) => sum + seen, 0)).toBe(100);
  const kept = minutes.reduce((sum, seen) => sum + Math.min(seen, 60), 0);
  expect(await eventsOf(gateway.database, account.id)).toHaveLength(kept);
  // The limit of another account is not affected.
  await bad(other);
  expect(await eventsOf(gateway.database, other.id)).toHaveLength(1);
});

test('valid webhooks are accepted during a flood of rejected ones', async () => {
  const account = await closedAccount();
  const good = () => gateway.send(account, 'good', { 'x-secret': secretText('closed-secret') });
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 5 === 0 ? good() : bad(account))));
  expect(answers.map((answer) => answer.status)).toEqual(answers.map((_, n) => (n % 5 === 0 ? 202 : 401)));
  const received = (await eventsOf(gateway.database, account.id)).filter((event) => event.status === 'received');
  expect(received).toHaveLength(20);
});

test('a row that the database refuses does not affect the other rows of its batch', async () => {
  const account = await closedAccount();
  const recorder = rejectionRecorder(gateway.database);
  const rejected = (eventType: string | null) => rejectedEvent(account, { eventType });
  const good = Array.from({ length: 20 }, () => rejected(null));
  await Promise.all(
    [...good.slice(0, 10), rejected('a\0b'), ...good.slice(10)].map((event) =>
      recorder.record(account.id, () => event),
    ),
  );
  const stored = (await eventsOf(gateway.database, account.id)).map((event) => event.id);
  expect(stored.sort()).toEqual(good.map((event) => event.id).sort());
});

test('a missing partition for the day of a rejected webhook is created', async () => {
  const account = await closedAccount();
  const receivedAt = new Date(Date.now() - 700 * 86_400_000);
  const event = rejectedEvent(account, { receivedAt });
  await rejectionRecorder(gateway.database).record(account.id, () => event);
  expect(await eventsOf(gateway.database, account.id)).toMatchObject([{ id: event.id, status: 'rejected' }]);
});
