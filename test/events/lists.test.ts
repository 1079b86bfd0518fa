import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { deliveryStatistics } from '../../src/events/delivery-statistics.ts';
import {
  type DeliveryStatus,
  deliveryStatuses,
  type EventRow,
  type EventStatus,
  eventStatuses,
} from '../../src/events/event.ts';
import { eventStates } from '../../src/events/event-state.ts';
import { filterValues } from '../../src/events/filter-values.ts';
import { type EventFilter, listEvents } from '../../src/events/read.ts';
import { listFailed, listRetrying } from '../../src/events/undelivered.ts';
import { useDatabase } from '../support/use-database.ts';
import { fillEvents, type StoredFields } from './fill-events.ts';
import { allEvents, expectedList } from './reference.ts';

const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
/**
 * Times at the edges of the windows (1, 4, 16 and 32 days) and at both ends of days, with days without events between.
 */
const daysBack = [0, 1, 2, 4, 5, 6, 20, 21, 22, 52, 53, 54, 90];
const momentsOfDay = [0, 1, dayMs / 2, dayMs - 1];
const moments = daysBack.flatMap((day) => momentsOfDay.map((ms) => new Date(today - day * dayMs + ms)));

const pick = <T>(values: readonly T[]): T => {
  const value = values[Math.floor(Math.random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
};

const values = {
  provider: ['generic', 'support_chat', 'mail'],
  app_key: ['one', 'two', 'three'],
  account_slug: ['a', 'b', 'c', 'd'],
  event_type: ['order', 'chat.message', 'ünï codé'],
  external_id: ['x-1', 'x-2', 'x-3', 'x-4', 'x-5'],
};

/** Two accounts have a consumer of the same name, and another one was deleted. */
const consumers = [
  { id: randomUUID(), name: 'billing', deleted: false },
  { id: randomUUID(), name: 'billing', deleted: false },
  { id: randomUUID(), name: 'audit', deleted: false },
  { id: randomUUID(), name: 'old', deleted: true },
];
const consumerNames = [...new Set(['default', ...consumers.map(({ name }) => name)])];

/** Events of one moment: webhooks of one or more consumers, some of which no consumer gets. */
function eventsOfMoment(receivedAt: Date, count: number): StoredFields[] {
  let request = '';
  return Array.from({ length: count }, (_, n): StoredFields => {
    const id = uuidv7({ msecs: receivedAt.getTime() });
    if (n % 3 === 0) request = id;
    const consumerId = pick([null, null, ...consumers.map((consumer) => consumer.id)]);
    const event = { ...randomEvent(receivedAt), id, consumerId, requestId: request === id ? null : request };
    if (event.requestId !== null || Math.random() < 0.7) return event;
    const unsent = { status: 'enqueued', deliveryStatus: null, attempts: 0, deliveredAt: null, nextAttemptAt: null };
    return { ...event, ...unsent, consumerId: null, skippedReason: 'no_consumer_matched' } as StoredFields;
  });
}

function randomEvent(receivedAt: Date): StoredFields {
  // Only possible combinations. An event without a delivery was rejected; an ack or fail may have changed its status.
  const deliveryStatus = pick<DeliveryStatus | null>([...deliveryStatuses, null]);
  const statuses: EventStatus[] =
    deliveryStatus === null
      ? ['rejected', 'processed', 'failed', 'dead']
      : ['received', 'enqueued', 'failed', ...(deliveryStatus === 'pending' ? [] : (['processed', 'dead'] as const))];
  const status = pick(statuses);
  return {
    receivedAt,
    // A release before left no mark.
    failedByPerson: status === 'failed' ? pick([true, null]) : null,
    accountId: randomUUID(),
    provider: pick(values.provider),
    accountSlug: pick(values.account_slug),
    appKey: pick(values.app_key),
    eventType: Math.random() < 0.3 ? null : pick(values.event_type),
    externalId: pick(values.external_id),
    status,
    deliveryStatus,
    attempts: pick([0, 1, 2, 9]),
    deliveredAt: deliveryStatus === 'delivered' ? new Date(receivedAt.getTime() + 250) : null,
    nextAttemptAt: deliveryStatus === 'pending' && Math.random() < 0.6 ? new Date(today + dayMs) : null,
  };
}

describe('lists of many days', () => {
  const database = useDatabase();
  let all: EventRow[];
  beforeAll(async () => {
    for (const { id, name, deleted } of consumers)
      await database.pool.query(
        `insert into consumers (id, account_id, name, url, created_at, updated_at, deleted_at)
         values ($1, $2, $3, 'https://consumer.test', now(), now(), case when $4 then now() end)`,
        [id, randomUUID(), name, deleted],
      );
    const events = moments.flatMap((at) => eventsOfMoment(at, 12));
    // One far in the past and one far in the future, as wrong clocks cause them.
    await fillEvents(database, [
      ...events,
      randomEvent(new Date(today - 400 * dayMs)),
      randomEvent(new Date(today + 40 * dayMs)),
    ]);
    all = await allEvents(database);
  });

  const ids = (events: EventRow[]) => events.map(({ id }) => id);
  const matches = async (filter: EventFilter) => {
    const found = await listEvents(database.reader, filter);
    expect(ids(found)).toEqual(ids(expectedList(all, filter)));
    return found;
  };
  const page = { limit: 100, offset: 0 };

  test('without a filter, all events with all fields', async () => {
    expect(await listEvents(database.reader, { limit: 100_000, offset: 0 })).toEqual(all);
  });

  test.each<[string, readonly (string | undefined)[]]>([
    ...Object.entries(values),
    ['status', eventStatuses],
    ['delivery_status', deliveryStatuses],
    ['state', eventStates],
    ['consumer', consumerNames],
  ])('by %s alone, also for values that no event has', async (name, some) => {
    for (const value of [...some, ...(/stat(e|us)$/.test(name) ? [] : ['absent', ''])]) {
      for (const limit of [1, 7, 100_000]) await matches({ ...page, limit, [name]: value });
    }
  });

  test('webhooks that no consumer gets, and all others', async () => {
    for (const skipped of [true, false]) {
      for (const consumer of [undefined, ...consumerNames]) {
        for (const offset of [0, 5, 100]) await matches({ ...page, offset, skipped, consumer });
      }
    }
    expect(all.some((event) => event.skipped_reason !== null)).toBe(true);
  });

  test.each(['since', 'until'])('by %s, at the times of events and one millisecond before and after', async (name) => {
    for (const at of moments) {
      for (const ms of [-1, 0, 1]) await matches({ ...page, [name]: new Date(at.getTime() + ms) });
    }
  });

  test('any combination of filters, cursor, limit and offset', async () => {
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
    const moment = fc
      .constantFrom(...moments)
      .chain((at) => fc.integer({ min: -2, max: 2 }).map((ms) => new Date(at.getTime() + ms)));
    const filters = fc.record({
      provider: maybe(fc.constantFrom(...values.provider)),
      app_key: maybe(fc.constantFrom(...values.app_key)),
      account_slug: maybe(fc.constantFrom(...values.account_slug)),
      event_type: maybe(fc.constantFrom(...values.event_type, 'absent')),
      external_id: maybe(fc.constantFrom(...values.external_id)),
      state: maybe(fc.constantFrom(...eventStates)),
      status: maybe(fc.constantFrom(...eventStatuses)),
      delivery_status: maybe(fc.constantFrom(...deliveryStatuses)),
      consumer: maybe(fc.constantFrom(...consumerNames, 'absent')),
      skipped: maybe(fc.boolean()),
      since: maybe(moment),
      until: maybe(moment),
      before: maybe(fc.constantFrom(...all.map(({ id }) => id))),
      limit: fc.constantFrom(1, 2, 10, 100, 1000),
      offset: fc.oneof(fc.constant(0), fc.nat({ max: all.length + 10 })),
    });
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        await matches(filter);
      }),
      { numRuns: 300 },
    );
  });

  test.each([1, 11, 12, 13, 100])(
    'pages of %i events, by cursor and by offset, contain every event once',
    async (limit) => {
      const byCursor: string[] = [];
      for (let before: string | undefined; ; before = byCursor.at(-1)) {
        const found = await listEvents(database.reader, { limit, offset: 0, before });
        byCursor.push(...ids(found));
        if (found.length === 0 || byCursor.length > 200) break;
      }
      expect(byCursor).toEqual(ids(all).slice(0, byCursor.length));
      for (const offset of [0, limit, 5 * limit, all.length - 1, all.length, all.length + 1])
        await matches({ limit, offset });
    },
  );

  test('the newest 200 failed deliveries', async () => {
    expect(await listFailed(database.reader)).toEqual(all.filter((e) => e.delivery_status === 'failed').slice(0, 200));
  });

  test.each([undefined, -1, 0, 1, 2, 3, 9, 10])(
    'events that are being retried with at least %s attempts',
    async (minAttempts) => {
      const expected = all
        .filter((e) => e.delivery_status === 'pending' && e.attempts >= Math.max(1, minAttempts ?? 1))
        .sort((a, b) => b.attempts - a.attempts || (a.id < b.id ? 1 : -1))
        .slice(0, 200);
      expect(await listRetrying(database.reader, { minAttempts })).toEqual(expected);
    },
  );

  test('the values of the filters', async () => {
    expect(await filterValues(database.reader)).toEqual({
      providers: [...values.provider].sort(),
      event_types: [...values.event_type].sort(),
      account_slugs: [...values.account_slug].sort(),
      statuses: [...eventStatuses].sort(),
    });
  });

  test('of more than 200 retried events with the same number of attempts, the newest of all windows', async () => {
    const waiting = moments.flatMap((at) =>
      Array.from({ length: 6 }, () => ({
        ...randomEvent(at),
        ...{ status: 'enqueued' as const, deliveryStatus: 'pending' as const, attempts: 50, nextAttemptAt: new Date() },
      })),
    );
    await fillEvents(database, waiting);
    const expected = (await allEvents(database))
      .filter((e) => e.delivery_status === 'pending' && e.attempts === 50)
      .slice(0, 200);
    expect(await listRetrying(database.reader, { minAttempts: 3 })).toEqual(expected);
  });
});

describe('lists of an empty database', () => {
  const database = useDatabase();

  test('are empty, and all numbers of the statistics are present', async () => {
    const { reader } = database;
    for (const filter of [
      {},
      { status: 'received' as const },
      { delivery_status: 'pending' as const },
      { provider: 'generic' },
    ]) {
      expect(await listEvents(reader, { limit: 100, offset: 3, ...filter })).toEqual([]);
    }
    expect(await listFailed(reader)).toEqual([]);
    expect(await listRetrying(reader)).toEqual([]);
    expect(await filterValues(reader)).toEqual({ providers: [], event_types: [], account_slugs: [], statuses: [] });
    const { by_hour, ...statistics } = await deliveryStatistics(reader);
    expect(statistics).toEqual({
      ...{ total: 0, pending: 0, delivered: 0, failed: 0, retrying: 0, success_rate: null, attempts: 0 },
      ...{ latency_ms: { p50: null, p95: null, p99: null }, by_provider: [] },
    });
    expect(by_hour).toHaveLength(24);
    expect(by_hour.every((hour) => hour.received + hour.delivered + hour.failed === 0)).toBe(true);
  });

  test('of one webhook that no consumer gets, its status', async () => {
    const skipped = { status: 'enqueued', deliveryStatus: null, skippedReason: 'no_consumer_matched' } as const;
    const fields = { accountSlug: 'slug-0000', attempts: 0, deliveredAt: null };
    await fillEvents(database, [{ ...randomEvent(new Date()), ...skipped, ...fields }]);
    expect((await filterValues(database.reader)).statuses).toEqual(['enqueued']);
    const { total, pending, by_hour } = await deliveryStatistics(database.reader);
    const received = by_hour.reduce((sum, hour) => sum + hour.received, 0);
    expect({ total, pending, received }).toEqual({ total: 0, pending: 0, received: 1 });
  });

  test('of 1,200 values of a filter, the first 1,000', async () => {
    const names = Array.from({ length: 1200 }, (_, n) => `slug-${String(n).padStart(4, '0')}`);
    await fillEvents(
      database,
      names.map((accountSlug) => ({ ...randomEvent(new Date()), accountSlug })),
    );
    expect((await filterValues(database.reader)).account_slugs).toEqual(names.slice(0, 1000));
  });
});
