import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { isoDay } from '../../src/database/uuid-time.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import type { ReceivedWebhook } from '../../src/events/transitions/received.ts';
import { receivedEvent } from '../support/received.ts';
import { eventsOf, storedEvent } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

let receiver: EventReceiver;
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  receiver = new EventReceiver(gateway.database);
});

const account = () => gateway.admin.createAccount({});
const dayMs = 86_400_000;

/** Stores events in the same tick, so that they share a batch. */
const receiveAll = (events: ReceivedWebhook[]) => Promise.all(events.map((event) => receiver.receive(event)));

describe('a bad row', () => {
  test.each<[name: string, bad: Partial<ReceivedWebhook>]>([
    ['a NUL in a text', { eventType: 'a\0b' }],
    ['a NUL in the external id', { externalId: '\0' }],
    ['headers that are no JSON', { headers: '{' }],
    ['a dedup key that is no UUID', { dedupKey: 'key' }],
  ])('%s loses only itself', async (_name, bad) => {
    const owner = await account();
    const good = Array.from({ length: 50 }, () => receivedEvent(owner));
    const middle = receivedEvent(owner, bad);
    const receipts = await receiveAll([...good.slice(0, 25), middle, ...good.slice(25)]);
    expect(receipts[25]).toEqual({ kind: 'failed', failure: 'bad_data' });
    expect(receipts.toSpliced(25, 1)).toEqual(Array(50).fill({ kind: 'stored' }));
    const stored = (await eventsOf(gateway.database, owner.id)).map((event) => event.id);
    expect(stored.sort()).toEqual(good.map((event) => event.id).sort());
  });
});

describe('a missing partition', () => {
  test.each([
    ['long ago', -400],
    ['far ahead', 400],
  ])('%s is created when an event needs it', async (_name, days) => {
    const owner = await account();
    const receivedAt = new Date(Date.now() + days * dayMs);
    const events = Array.from({ length: 10 }, () => receivedEvent(owner, { receivedAt }));
    expect(await receiveAll(events)).toEqual(Array(10).fill({ kind: 'stored' }));
    const [first] = events;
    expect(await storedEvent(gateway.database, first?.id ?? '')).toMatchObject({ received_at: receivedAt });
    const name = `events_${isoDay(receivedAt).replaceAll('-', '')}`;
    const [partition] = await gateway.rows('select to_regclass($1)::text as name', [name]);
    expect(partition).toEqual({ name });
  });

  test('partitions of several days are created by concurrent processes', async () => {
    const owner = await account();
    const other = new EventReceiver(gateway.database);
    const days = [-500, -510, -520, -530];
    const make = () => days.map((day) => receivedEvent(owner, { receivedAt: new Date(Date.now() + day * dayMs) }));
    const receipts = await Promise.all([receiveAll(make()), ...make().map((event) => other.receive(event))]);
    expect(receipts.flat()).toEqual(Array(8).fill({ kind: 'stored' }));
    expect(await eventsOf(gateway.database, owner.id)).toHaveLength(8);
  });
});

describe('an account that was deleted or disabled after it was read', () => {
  test.each([
    ['deleted', (id: string) => gateway.admin.request('DELETE', `/admin/accounts/${id}`)],
    ['disabled', (id: string) => gateway.admin.request('PATCH', `/admin/accounts/${id}`, { enabled: false })],
  ])('%s: its events are refused, and those of others are stored', async (_name, leave) => {
    const [gone, stays] = [await account(), await account()];
    await leave(gone.id);
    expect(await receiveAll([receivedEvent(gone), receivedEvent(stays)])).toEqual([
      { kind: 'refused' },
      { kind: 'stored' },
    ]);
    expect(await eventsOf(gateway.database, gone.id)).toEqual([]);
  });
});

describe('duplicates', () => {
  test('of equal keys, the first is stored: in one batch, in two batches, and in two processes', async () => {
    const owner = await account();
    const other = new EventReceiver(gateway.database);
    const dedupKey = randomUUID();
    const events = Array.from({ length: 12 }, () => receivedEvent(owner, { dedupKey }));
    const receipts = await Promise.all(events.map((event, n) => (n % 2 ? receiver : other).receive(event)));
    expect(receipts.map((receipt) => receipt.kind).sort()).toEqual([...Array(11).fill('duplicate'), 'stored']);
    const stored = await eventsOf(gateway.database, owner.id);
    expect(stored.map((event) => event.id)).toEqual([events[receipts.findIndex((r) => r.kind === 'stored')]?.id]);
    expect(await receiver.receive(receivedEvent(owner, { dedupKey }))).toEqual({ kind: 'duplicate' });
  });

  test.each([0, -3_600_000, 3_600_000])(
    'a key is valid for 24 hours, with a clock that is wrong by %i ms',
    async (wrongMs) => {
      const owner = await account();
      const dedupKey = randomUUID();
      const event = (ageMs: number) =>
        receivedEvent(owner, { dedupKey, receivedAt: new Date(Date.now() + wrongMs - ageMs) });
      expect(await receiver.receive(event(dayMs - 60_000))).toEqual({ kind: 'stored' });
      expect(await receiver.receive(event(0))).toEqual({ kind: 'duplicate' });
      await gateway.rows(`update event_dedup set expires_at = now() where key = $1`, [dedupKey]);
      const second = event(0);
      expect(await receiver.receive(second)).toEqual({ kind: 'stored' });
      const [kept] = await gateway.rows(
        'select event_id, expires_at - lane_since as lasts from event_dedup join event_queue using (event_id) where key = $1',
        [dedupKey],
      );
      expect(kept).toMatchObject({ event_id: second.id, lasts: { days: 1 } });
    },
  );

  test('events without a key are never duplicates', async () => {
    const owner = await account();
    const receipts = await receiveAll([receivedEvent(owner), receivedEvent(owner)]);
    expect(receipts).toEqual([{ kind: 'stored' }, { kind: 'stored' }]);
  });
});
