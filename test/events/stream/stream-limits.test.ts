import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventRow } from '../../../src/events/event.ts';
import { EventReceiver } from '../../../src/events/event-receiver.ts';
import { ChangeFeed, maxStreams } from '../../../src/events/stream/change-feed.ts';
import { maxUnreadBytes, StreamReader } from '../../../src/events/stream/stream-reader.ts';
import { OutcomeRecorder } from '../../../src/events/transitions/attempt-recorded.ts';
import { openStream } from '../../support/event-stream.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { listen } from '../../support/listen.ts';
import { outcomeOf, receivedEvent } from '../../support/received.ts';
import { log } from '../../support/runtime.ts';
import { until } from '../../support/until.ts';

const listedEvent: EventRow = {
  ...{ id: '01900000-0000-7000-8000-000000000000', account_id: '01900000-0000-7000-8000-000000000000' },
  ...{ provider: 'generic', account_slug: 'slug', app_key: 'tests', event_type: null, external_id: 'external' },
  ...{ status: 'received', delivery_status: 'pending', attempts: 0, last_error: null, response_code: null },
  ...{ generation: 0, received_at: new Date(), delivered_at: null, next_attempt_at: null, rejection_reason: null },
  rejection_detail: null,
  ...{ skipped_reason: null, backfilled_at: null, bulk_job_id: null, consumer: 'default', request_id: 'request' },
  ...{ scheduled_attempts: 10, schedule_of: null, waits_for: null, failed_by_person: null },
};

let gateway: TestGateway;
let account: { id: string };
const sockets: Socket[] = [];
beforeEach(async () => {
  gateway = await startGateway({ worker: false });
  account = await gateway.admin.createAccount({});
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

/** A client that sends a request and reads nothing until `resume` is called. */
async function unreadStream(): Promise<Socket> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`GET /admin/events/stream HTTP/1.1\r\nHost: gateway\r\nX-Admin-Token: ${gateway.adminToken}\r\n\r\n`);
  return socket;
}

/** Adds events whose errors are long, so that a few thousand fill every buffer. */
const addLongEvents = (count: number) =>
  gateway.rows(
    `insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at, last_error)
     select uuidv7(), $1, 'generic', 'slug', 'tests', n::text, 'failed', 'failed', now(), now(), repeat('x', 1000)
     from generate_series(1, $2::integer) n`,
    [account.id, count],
  );

test('no event and no change is missed under load, with ids of clocks that differ', async () => {
  const stream = await openStream(gateway);
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  const recorder = new OutcomeRecorder(gateway.database, async () => undefined);
  const written = new Map<string, boolean>();
  const writer = async (n: number) => {
    const receiver = new EventReceiver(gateway.database);
    for (let round = 0; round < 15; round++) {
      // About 150 events a second in all, and few enough that none is left out if all are in one report.
      await sleep(200);
      // The clock of this writer is up to eight seconds behind or ahead.
      const receivedAt = new Date(Date.now() + (n - 4) * 2_000 + Math.random() * 500);
      const events = Array.from({ length: 4 }, () => receivedEvent(account, { receivedAt }));
      await Promise.all(events.map((event) => receiver.receive(event)));
      await Promise.all(
        events.map(async ({ id }, at) => {
          const succeeded = at % 2 === 0;
          written.set(id, succeeded);
          await recorder.record(outcomeOf(id, { succeeded }));
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => writer(n)));
  expect(written.size).toBe(480);
  // The last report of each event has its last state.
  const missing = () => {
    const last = new Map(stream.events().map((event) => [event.id, event]));
    return [...written].filter(([id, succeeded]) => {
      const event = last.get(id);
      return event?.attempts !== 1 || event.delivery_status !== (succeeded ? 'delivered' : 'pending');
    });
  };
  await until('each event was reported with its last state', () => missing().length === 0);
  expect(stream.messages.filter(({ event }) => event === 'left_out')).toEqual([]);
  await stream.close();
});

test('more events than fit are counted, and the newest are reported', async () => {
  const stream = await openStream(gateway);
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  await addLongEvents(5_000);
  const { data } = await stream.next('events are left out', ({ event }) => event === 'left_out');
  const [newest] = await gateway.rows('select id from events order by id desc limit 1');
  await stream.next('the newest event', ({ event, data: item }) => event === 'event' && item.id === newest?.id);
  expect(stream.events().length + data.events).toBe(5_000);
  expect(stream.events().length).toBeLessThanOrEqual(1_000);
  await stream.close();
});

test('a client that does not read is dropped, and its memory is bounded', async () => {
  const socket = await unreadStream();
  const watching = await openStream(gateway);
  await watching.next('the stream is ready', ({ event }) => event === 'ready');
  // Each report is up to 512 KiB, so these are several times what the kernel buffers.
  for (let batch = 1; batch <= 20; batch++) {
    const before = watching.events().length;
    await addLongEvents(500);
    await until('the batch was reported', () => watching.events().length > before);
  }
  let received = 0;
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length;
  });
  await until('the connection has ended', () => socket.destroyed || socket.readableEnded);
  const reported = Buffer.byteLength(watching.text());
  expect(received).toBeLessThan(reported);
  await watching.close();
});

test('a client that reads on within seconds gets the message why it was dropped', async () => {
  const dropped = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    const reader = new StreamReader(response, {});
    reader.ready(false, '1:1:');
    const event = { ...listedEvent, last_error: 'x'.repeat(1_000) };
    const report = () => {
      reader.report({ events: Array.from({ length: 500 }, () => event), leftOut: 0, reset: null, id: '1:1:' });
      expect(response.writableLength).toBeLessThan(maxUnreadBytes + 1_024);
      if (response.writableEnded) dropped.resolve();
      else setImmediate(report);
    };
    report();
  });
  const port = await listen(server);
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.write('GET / HTTP/1.0\r\n\r\n');
  await dropped.promise;
  let end = '';
  socket.on('data', (bytes: Buffer) => {
    end = (end + bytes.toString('latin1')).slice(-100);
  });
  await once(socket, 'end');
  expect(end).toContain('event: dropped\ndata: {"reason":"slow_reader"}\n\n');
  await new Promise((resolve) => server.close(resolve));
});

test('streams beyond the limit are refused, and a closed one makes room', async () => {
  const open = await Promise.all(Array.from({ length: maxStreams }, () => openStream(gateway)));
  expect(open.map(({ response }) => response.status)).toEqual(open.map(() => 200));
  const refused = await gateway.admin.request('GET', '/admin/events/stream');
  expect(refused).toMatchObject({ status: 503, body: { code: 'too_many_streams' } });
  expect(refused.headers.get('retry-after')).toBe('10');
  await open[0]?.close();
  const again = await until('there is room', async () => {
    const stream = await openStream(gateway);
    if (stream.response.status === 200) return stream;
    await stream.close();
    return null;
  });
  await Promise.all([...open, again].map((stream) => stream.close()));
});

test('the gateway stops while streams are open, with a message', async () => {
  const stream = await openStream(gateway);
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  const unread = await unreadStream();
  await once(unread, 'data');
  await gateway.stop();
  await stream.ended;
  expect(stream.messages.at(-1)).toEqual({ event: 'end', data: { reason: 'shutdown' } });
  gateway = await startGateway({ worker: false });
});

test('a lost connection to the database loses no event', async () => {
  const stream = await openStream(gateway);
  await stream.next('the stream is ready', ({ event }) => event === 'ready');
  await gateway.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'webhook-gateway-reader' and datname = current_database()`,
  );
  const event = receivedEvent(account);
  await new EventReceiver(gateway.database).receive(event);
  await stream.next('the event', ({ event: name, data }) => name === 'event' && data.id === event.id);
  await stream.close();
});

test('changes are read only while there are streams', async () => {
  const feed = new ChangeFeed({ database: gateway.database, log, lingerMs: 0 });
  const { url, stop } = await served(feed);
  expect(feed.isReading).toBe(false);
  const leaving = new AbortController();
  await fetch(url, { signal: leaving.signal });
  expect(feed.isReading).toBe(true);
  leaving.abort();
  await until('the reads have ended', () => !feed.isReading);
  await stop();
});

test('reads that begin for a client that has left end, and the next client gets its stream', async () => {
  const feed = new ChangeFeed({ database: gateway.database, log, lingerMs: 0 });
  await feed.start();
  await until('the reads have ended', () => !feed.isReading);
  const { url, stop } = await served(feed);
  const first = await (await fetch(url)).body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toContain('event: ready');
  await stop();
});

test('a client that reads stays, however long there is something to report at each look', async () => {
  const feed = new ChangeFeed({ database: gateway.database, log, stalledMs: 2_000 });
  const { url, stop } = await served(feed);
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
  })().catch(() => undefined);
  // For longer than the limit, more often than changes are read.
  for (const endMs = performance.now() + 6_000; performance.now() < endMs; await sleep(100)) await addLongEvents(1);
  expect(text).toContain('event: event');
  expect(text).not.toContain('slow_reader');
  leaving.abort();
  await reading;
  await stop();
});

/** A server whose only page is the stream of this feed. */
async function served(feed: ChangeFeed) {
  const server = createServer((_request, response) => {
    feed.reserve(response);
    void feed.start().then(() => feed.add(response, {}, null));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    async stop() {
      feed.close();
      await feed.closed();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
