import { randomInt, randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { ensurePartitions } from '../../../src/database/partitions.ts';
import { newEventId } from '../../../src/events/event-id.ts';
import { cursorText } from '../../../src/events/feed/cursor.ts';
import { Feed } from '../../../src/events/feed/feed.ts';
import { stoppingProblem } from '../../../src/http/stopping.ts';
import { openDatabase } from '../../../src/roles/open-database.ts';
import { createLog } from '../../../src/shared/log.ts';
import { backUp, folderStore, restore } from '../../backups/support.ts';
import { freshDatabase } from '../../support/database.ts';
import { untilAllInFeed } from '../../support/in-feed.ts';
import { openClient } from '../../support/one-connection.ts';
import { until } from '../../support/until.ts';
import { useDatabase } from '../../support/use-database.ts';
import { feedOf, insert, Reader, randomFrom, Writer, type Written } from './writers.ts';

const log = createLog('silent');
/** How much earlier than it is stored an event was received, at most. */
const lateMs = 120_000;
const database = useDatabase();
const past = useDatabase();

test('writers that commit out of order or roll back, and readers that stop and go on: each event once, and 410 after a restore', async () => {
  const seed = Number(process.env.FEED_SEED ?? randomInt(2 ** 31));
  console.info(`FEED_SEED=${seed}`);
  const random = randomFrom(seed);
  const accounts = [randomUUID(), randomUUID()];
  const clients = await Promise.all(Array.from({ length: 4 }, () => openClient(database.url)));
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.end()));
  });
  const writers = clients.map((client) => new Writer(client));
  // The values of the filters of events, for which the writers would wait for each other.
  const committed: Written[] = [];
  for (const [n, atMs] of [Date.now() - lateMs, Date.now()].entries()) {
    await writers[0]?.write({ id: newEventId(new Date(atMs)), accountId: accounts[n] ?? '' });
    committed.push(...((await writers[0]?.end('commit')) ?? []));
  }
  // A new reader begins with what an open transaction of another test holds back.
  await untilAllInFeed(database);
  const readers = [undefined, [accounts[0] ?? ''], [accounts[1] ?? '']].map((ids) => new Reader(ids, committed.length));
  for (const reader of readers) await reader.read(database, 1);
  const [whole] = readers;

  for (let step = 0; step < 250; step++) {
    const writer = writers[random(writers.length)];
    // Of the last minutes, in any order, as after retries of ingestion.
    const event = {
      id: newEventId(new Date(Date.now() - random(lateMs))),
      accountId: accounts[random(2)] ?? '',
    };
    const what = random(10);
    if (what < 4) await writer?.write(event);
    else if (what < 5) await writer?.writeAndTakeBack(event);
    else if (what < 7) committed.push(...((await writer?.end(random(4) === 0 ? 'rollback' : 'commit')) ?? []));
    else await readers[random(readers.length)]?.read(database, 1 + random(5));
    if (step % 50 === 49) {
      const late = new Reader(undefined, committed.length);
      await late.read(database, 1);
      readers.push(late);
    }
  }
  for (const writer of writers) committed.push(...(await writer.end('commit')));
  for (const reader of readers) {
    const wanted = committed.filter(
      ({ accountId }, n) => n >= reader.from && (reader.accountIds?.includes(accountId) ?? true),
    );
    // Open transactions of other tests hold the feed back for a moment.
    await until('the reader has all events', async () => {
      await reader.read(database, 1 + random(20));
      return wanted.every(({ id }) => reader.ids.includes(id));
    });
    expect(await reader.read(database, 1_000)).toBe(true);
    expect(new Set(reader.ids).size).toBe(reader.ids.length);
    if (reader.from === whole?.from) expect(reader.ids.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
  }
  for (const { ids } of readers) expect(whole?.ids.filter((id) => ids.includes(id))).toEqual(ids);

  const store = folderStore();
  const { name } = await backUp(database.url, store);
  const url = await freshDatabase();
  await restore(url, store, name);
  const other = await openDatabase({ url, log });
  onTestFinished(() => other.close());
  const received = committed.map(({ id }) => id).toSorted();
  for (const reader of readers) {
    const expired = { code: 'cursor_expired', options: { oldest: expect.any(String) } };
    await expect(feedOf(other).read(reader.request())).rejects.toMatchObject(expired);
    // The database that was there before goes on.
    await expect(feedOf(database).read(reader.request())).resolves.toMatchObject({ items: [], done: true });
  }
  await untilAllInFeed(other);
  const again = new Reader(undefined, 0);
  const first = await feedOf(other).read(again.request({ since: new Date(0), limit: 7 }));
  again.ids.push(...first.items.map((json) => JSON.parse(json).event.id));
  again.cursor = cursorText(first.cursor);
  await until('the rest is read', () => again.read(other, 7));
  expect(again.ids).toEqual(received);
});

test('a reader that begins in the past gets what was stored since the first event of that time', async () => {
  const client = await openClient(past.url);
  onTestFinished(() => client.end());
  const hoursAgo = [3, 2, 1.5, 0.5, 2.5, 0.1];
  const ids: string[] = [];
  for (const hours of hoursAgo) {
    const id = newEventId(new Date(Date.now() - hours * 3_600_000));
    await ensurePartitions(past, new Date(Date.now() - hours * 3_600_000), 1);
    await client.query(insert, [id, randomUUID()]);
    ids.push(id);
  }
  const from = async (hours: number) => {
    const since = new Date(Date.now() - hours * 3_600_000);
    const { items } = await feedOf(past).read(new Reader(undefined, 0).request({ since }));
    return items.map((json) => JSON.parse(json).event.id);
  };
  await until('nothing is held back', async () => (await from(4)).length === ids.length);
  expect(await from(4)).toEqual(ids);
  // With the one that was stored late.
  expect(await from(1)).toEqual(ids.slice(3));
  expect(await from(1.7)).toEqual(ids.slice(2));
  expect(await from(0.2)).toEqual(ids.slice(5));
  expect(await from(0.05)).toEqual([]);
});

test('a reader that begins in the past misses nothing of a transaction that is open then', async () => {
  const [slow, fast] = await Promise.all([openClient(past.url), openClient(past.url)]);
  onTestFinished(async () => {
    await Promise.all([slow.end(), fast.end()]);
  });
  const since = new Date(Date.now() + 1_000);
  const ids = [newEventId(new Date(since.getTime() + 1)), newEventId(new Date(since.getTime() + 2))];
  await slow.query('begin');
  await slow.query(insert, [ids[0], randomUUID()]);
  await fast.query(insert, [ids[1], randomUUID()]);
  const reader = new Reader(undefined, 0);
  const { items, cursor } = await feedOf(past).read(reader.request({ since }));
  expect(items).toEqual([]);
  reader.cursor = cursorText(cursor);
  await slow.query('commit');
  await until('both have come', async () => {
    await reader.read(past, 10);
    return reader.ids.length >= 2;
  });
  expect(reader.ids).toEqual(ids);
});

test('a reader of a quiet account passes the events of others, and says whether there is more', async () => {
  const accountId = randomUUID();
  const client = await openClient(past.url);
  onTestFinished(() => client.end());
  const reader = new Reader([accountId], 0);
  await reader.read(past, 1);
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const id = newEventId(new Date());
    await client.query(insert, [id, accountId]);
    ids.push(id);
    await client.query(
      `insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at)
       select (left($1::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $2, 'generic', 'slug', 'tests', 'x', 'received', 'pending', now(), now()
       from generate_series(1, 1500) n`,
      [id, randomUUID()],
    );
  }
  await untilAllInFeed(past);
  // On a slow machine, a page may end before it is full.
  while (reader.ids.length < 2) expect(await reader.read(past, 2 - reader.ids.length)).toBe(false);
  expect(reader.ids).toEqual(ids.slice(0, 2));
  await until('there is nothing more', () => reader.read(past, 2));
  expect(reader.ids).toEqual(ids);
});

test('new events are looked for only while readers wait', async () => {
  const feed = feedOf(past);
  const { cursor } = await feed.read(new Reader(undefined, 0).request());
  const reader = new Reader(undefined, 0);
  reader.cursor = cursorText(cursor);
  expect(feed.isLooking).toBe(false);
  const gone = new AbortController();
  const waiting = [
    feed.read(reader.request({ waitMs: 30_000, signal: gone.signal })),
    feed.read(reader.request({ waitMs: 1_000 })),
  ];
  await until('the loop runs', () => feed.isLooking);
  await waiting[1];
  gone.abort(new Error('gone'));
  await expect(waiting[0]).rejects.toThrow('gone');
  await until('the loop has ended', () => !feed.isLooking);
  await feed.closed();
});

test('a process that is about to stop answers the readers that wait, and lets no other one wait', async () => {
  const draining = new AbortController();
  const feed = new Feed({ database: past, log, draining: draining.signal });
  const request = new Reader(undefined, 0).request({ waitMs: 30_000 });
  const waiting = feed.read(request);
  await until('the reader waits', () => feed.isLooking);
  draining.abort(stoppingProblem());
  await expect(waiting).resolves.toMatchObject({ items: [], done: true });
  await expect(feed.read(request)).rejects.toMatchObject({ code: 'stopping' });
  await expect(feed.read({ ...request, waitMs: 0 })).resolves.toMatchObject({ items: [], done: true });
  await feed.closed();
});
