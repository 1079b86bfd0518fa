import { describe, expect, test } from 'vitest';
import { stopEvent } from '../../src/events/transitions/account-deleted.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { exhaustDisabledEvents } from '../../src/events/transitions/exhausted.ts';
import { addNotifications } from '../../src/notifications/add-notifications.ts';
import { highestOfMs, insertConsumer, insertSibling } from '../support/consumers.ts';
import { rows } from '../support/stored.ts';
import { tenth, useNotificationStage } from './stage.ts';

const stage = useNotificationStage();

const noBurst = { burst: null };
const stateOf = async (id: string) =>
  (await rows(stage.database, 'select delivery_status, attempts from events where id = $1', [id]))[0];

test('each enabled destination that matches gets a pending notification, in their order', async () => {
  const account = await stage.account();
  const second = await stage.destination(account, { name: 'Second', position: 2 });
  await stage.destination(account, { name: 'Off', enabled: false });
  await stage.destination(account, { name: 'Not this code', condition: 'response_code == 500' });
  const first = await stage.destination(account, {
    ...{ name: 'First', position: 1, condition: 'delivery_failed and attempts == 1 and response_code == 503' },
  });
  await stage.destination(await stage.account(), { name: "Another account's" });
  const id = await stage.received(account);
  await stage.exhaust([id]);
  expect(await stage.notifications()).toMatchObject([
    { event_id: id, destination_id: first, name: 'First', status: 'pending', attempts: 0, error: null },
    { event_id: id, destination_id: second, name: 'Second', status: 'pending', event_attempts: 1 },
  ]);
  expect((await stage.notifications())[0]?.event_error).toBe('the consumer answered 503');
});

test('the end of a delivery and its notifications commit together or not at all', async () => {
  const account = await stage.account();
  const id = await stage.received(account);
  const recorder = new OutcomeRecorder(stage.database, async (sql) => {
    await sql.query({ name: '', text: 'select 1 / 0' }, []);
  });
  await expect(recorder.record(tenth(id))).rejects.toThrow(/division/);
  expect(await stateOf(id)).toEqual({ delivery_status: 'pending', attempts: 0 });
  await stage.exhaust([id]);
  expect(await stateOf(id)).toEqual({ delivery_status: 'failed', attempts: 1 });
});

test('an attempt that does not end the delivery, or was recorded before, adds no notification', async () => {
  const account = await stage.account();
  await stage.destination(account);
  const id = await stage.received(account);
  const recorder = stage.recorder();
  await recorder.record({ ...tenth(id), number: 9, last: false });
  expect(await stage.notifications()).toEqual([]);
  await Promise.all([recorder.record(tenth(id)), stage.recorder().record(tenth(id))]);
  expect(await stage.notifications()).toHaveLength(1);
});

test('each of many events that end together notifies every destination of its own account', async () => {
  const accounts = await Promise.all([stage.account(), stage.account(), stage.account()]);
  for (const account of accounts.slice(0, 2)) {
    await stage.destination(account, { name: 'a' });
    await stage.destination(account, { name: 'b' });
  }
  const ids = await Promise.all(Array.from({ length: 300 }, (_, n) => stage.received(accounts[n % 3])));
  await stage.exhaust(ids);
  const noted = await stage.notifications();
  expect(noted).toHaveLength(400);
  expect(new Set(noted.map((row) => `${row.event_id} ${row.name}`)).size).toBe(400);
  expect(noted.every((row) => accounts.slice(0, 2).some(({ id }) => id === row.account_id))).toBe(true);
});

test('a condition of another version that does not parse gives a failed notification', async () => {
  const account = await stage.account();
  const broken = await stage.destination(account);
  const fine = await stage.destination(account, { position: 1 });
  await rows(stage.database, `update destinations set condition = 'delivery_failed and' where id = $1`, [broken]);
  await stage.exhaust([await stage.received(account)]);
  expect(await stage.notifications()).toMatchObject([
    { destination_id: broken, status: 'failed', due_at: null, error: expect.stringContaining('line 1, column 20') },
    { destination_id: fine, status: 'pending', error: null },
  ]);
});

test('a condition can name the consumer, and reads the body that the events of a webhook share', async () => {
  const account = await stage.account();
  const consumerId = await insertConsumer(stage.database, { accountId: account.id, name: 'billing' });
  const ofBilling = await stage.destination(account, { name: 'billing', condition: 'consumer == "billing"' });
  const ofOthers = await stage.destination(account, { name: 'others', condition: 'consumer != "billing"' });
  const ofLarge = await stage.destination(account, {
    name: 'large',
    condition: 'payload.n > 5 and consumer == "billing"',
  });
  const id = await stage.received(account, { body: Buffer.from('{"n":9}') });
  const sibling = await insertSibling(stage.database, id, { id: highestOfMs(id), consumerId });
  await stage.exhaust([id, sibling]);
  const told = await stage.notifications();
  expect(new Set(told.map(({ event_id, destination_id }) => `${event_id} ${destination_id}`))).toEqual(
    new Set([`${id} ${ofOthers}`, `${sibling} ${ofBilling}`, `${sibling} ${ofLarge}`]),
  );
  expect(told).toHaveLength(3);
});

describe('an event whose account', () => {
  test('was disabled for too long notifies the destinations', async () => {
    const account = await stage.account();
    await stage.destination(account);
    const id = await stage.received(account);
    await rows(stage.database, `update event_queue set lane_since = now() - interval '8 days' where event_id = $1`, [
      id,
    ]);
    await rows(stage.database, `update accounts set enabled = false, updated_at = now() - interval '8 days'`);
    const exhaust = () => exhaustDisabledEvents(stage.database, 10, addNotifications(noBurst));
    expect([await exhaust(), await exhaust()]).toEqual([
      { exhausted: 1, more: false },
      { exhausted: 0, more: false },
    ]);
    expect(await stage.notifications()).toMatchObject([{ event_id: id, event_error: 'account_disabled' }]);
  });

  test('was deleted notifies no destination', async () => {
    const account = await stage.account();
    await stage.destination(account);
    const id = await stage.received(account);
    await stopEvent(stage.database, { eventId: id, generation: 0 });
    expect(await stage.notifications()).toEqual([]);
  });
});

describe('with a burst limit', () => {
  const burst = { limit: 3, windowMs: 60_000 };
  const chat = { destination_type: 'chat_one', config: { webhook_url: 'http://127.0.0.1:9/chat' } };

  test('chat and email get that many and one summary of the rest; webhooks get all', async () => {
    const account = await stage.account();
    await stage.destination(account, { ...chat, name: 'chat' });
    await stage.destination(account, {
      name: 'mail',
      destination_type: 'email',
      config: { addresses: ['a@ops.test'] },
    });
    await stage.destination(account, { name: 'hook' });
    const ids = await Promise.all(Array.from({ length: 40 }, () => stage.received(account)));
    await stage.exhaust(ids, stage.recorder(burst));
    const noted = await stage.notifications();
    const count = (name: string, status: string) =>
      noted.filter((row) => row.name === name && row.status === status).length;
    expect([count('chat', 'pending'), count('chat', 'suppressed')]).toEqual([3, 37]);
    expect([count('mail', 'pending'), count('mail', 'suppressed')]).toEqual([3, 37]);
    expect([count('hook', 'pending'), count('hook', 'suppressed')]).toEqual([40, 0]);
    const summaries = await stage.summaries();
    expect(summaries).toMatchObject([
      { events: 37, status: 'pending', attempts: 0 },
      { events: 37, status: 'pending', attempts: 0 },
    ]);
    for (const summary of summaries) {
      const folded = noted.filter((row) => row.summary_id === summary.id).map((row) => row.event_id);
      expect(folded).toHaveLength(37);
      expect(summary.first_event_ids).toHaveLength(10);
      expect(folded).toEqual(expect.arrayContaining(summary.first_event_ids));
    }
  });

  test('concurrent workers keep the limit together, without deadlocks', async () => {
    const account = await stage.account();
    for (const name of ['a', 'b', 'c']) await stage.destination(account, { ...chat, name });
    const ids = await Promise.all(Array.from({ length: 120 }, () => stage.received(account)));
    const workers = Array.from({ length: 6 }, () => stage.recorder(burst));
    await Promise.all(ids.map((id, n) => stage.exhaust([id], workers[n % 6])));
    const noted = await stage.notifications();
    expect(noted).toHaveLength(360);
    for (const name of ['a', 'b', 'c'])
      expect(noted.filter((row) => row.name === name && row.status === 'pending')).toHaveLength(3);
    expect((await stage.summaries()).map(({ events }) => events)).toEqual([117, 117, 117]);
  });

  test('a summary that is being sent takes no more events; a new summary is opened', async () => {
    const account = await stage.account();
    await stage.destination(account, chat);
    const recorder = stage.recorder(burst);
    const four = async () => {
      const ids = await Promise.all(Array.from({ length: 4 }, () => stage.received(account)));
      await stage.exhaust(ids, recorder);
    };
    await four();
    await four();
    expect(await stage.summaries()).toMatchObject([{ events: 5 }]);
    await rows(stage.database, `update notification_summaries set attempts = 1`);
    await four();
    expect(await stage.summaries()).toMatchObject([{ events: 5 }, { events: 4 }]);
  });
});
