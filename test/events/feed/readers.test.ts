import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { AuditLog } from '../../../src/audit/audit-log.ts';
import { FeedReaders } from '../../../src/events/feed/feed-readers.ts';
import { createKeyring } from '../../../src/secrets/keyring.ts';
import { createLog } from '../../../src/shared/log.ts';
import { auditTrail } from '../../support/audit-trail.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../../support/use-database.ts';

const database = useDatabase();
const log = createLog('silent');

test('a reader has an entry at its start, one an hour with its calls and events, and one at the stop', async () => {
  const audit = new AuditLog({ database, keyring: createKeyring(randomBytes(32)), log });
  let nowMs = Date.parse('2026-11-20T10:00:00Z');
  const readers = new FeedReaders({ sql: database, audit, log, now: () => nowMs, lookMs: 10 });
  const fresh = auditTrail(database, { counted: true });
  const read = (events: number, actor = 'pipeline', filters = { query: { account: ['generic/shop'] } }) =>
    readers.record({ actor, ipAddress: '192.0.2.1', filters, events, begins: false });
  const detailsOf = async () => (await fresh()).map(({ actor, action, details }) => ({ actor, action, ...details }));
  const entry = { actor: 'pipeline', action: 'event.feed', query: { account: ['generic/shop'] } };
  const begin = { ...entry, status: 200 };
  readers.start();
  for (const events of [2, 0, 3]) await read(events);
  await read(1, 'laptop');
  expect(await detailsOf()).toEqual([begin, { ...begin, actor: 'laptop' }]);

  nowMs += 3_600_000;
  const first = await until('the hour is written', async () => {
    const found = await detailsOf();
    return found.length > 0 && found;
  });
  const at = '2026-11-20T10:00:00.000Z';
  expect(first).toEqual([
    { ...entry, calls: 3, events: 5, since: at, until: at },
    { ...entry, actor: 'laptop', calls: 1, events: 1, since: at, until: at },
  ]);

  // After an hour without a call, it begins again.
  await read(7);
  nowMs += 60_000;
  await read(1);
  await readers.stop();
  const [again, last] = await detailsOf();
  expect(again).toEqual(begin);
  expect(last).toMatchObject({ ...entry, calls: 2, events: 8, until: '2026-11-20T11:01:00.000Z' });
});

test('each call without a cursor is an entry', async () => {
  const audit = new AuditLog({ database, keyring: createKeyring(randomBytes(32)), log });
  const readers = new FeedReaders({ sql: database, audit, log });
  const fresh = auditTrail(database, { counted: true });
  await fresh();
  for (const begins of [true, false, true])
    await readers.record({ actor: 'laptop', ipAddress: '192.0.2.1', filters: {}, events: 0, begins });
  expect((await fresh()).map(({ details }) => details)).toEqual([{ status: 200 }, { status: 200 }]);
  await readers.stop();
});

test('calls of readers beyond those that are told apart are an entry each, with their events', async () => {
  const audit = new AuditLog({ database, keyring: createKeyring(randomBytes(32)), log });
  const readers = new FeedReaders({ sql: database, audit, log, mostReaders: 1 });
  const fresh = auditTrail(database, { counted: true });
  await fresh();
  for (const [actor, events] of [
    ['laptop', 1],
    ['pipeline', 2],
    ['pipeline', 3],
    ['laptop', 4],
  ] as const)
    await readers.record({ actor, ipAddress: '192.0.2.1', filters: {}, events, begins: false });
  await readers.stop();
  const entries = (await fresh()).map(({ actor, details }) => [actor, details.calls ?? 0, details.events ?? 0]);
  expect(entries).toEqual([
    ['laptop', 0, 0],
    ['pipeline', 1, 2],
    ['pipeline', 1, 3],
    ['laptop', 2, 5],
  ]);
});
