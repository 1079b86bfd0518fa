import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readFeed } from '../../src/cli/listen/read-feed.ts';
import { parseRoutes, routeOf } from '../../src/cli/listen/routes.ts';
import { listen } from '../support/listen.ts';
import { listenForTest } from '../support/listen-for-test.ts';

test.each([
  ['invoice.*', 'invoice.paid', true],
  ['invoice.*', 'invoices.paid', false],
  ['*.paid', 'invoice.paid', true],
  ['*', '', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['aa*aa', 'aaa', false],
  ['a+b', 'aab', false],
])('the route %s for the type %s: %s', (pattern, type, matches) => {
  const routes = parseRoutes([`${pattern}=http://127.0.0.1:4000/x?a=b`], undefined);
  expect(routeOf(routes, type)?.href).toBe(matches ? 'http://127.0.0.1:4000/x?a=b' : undefined);
});

test('the feed goes on from its cursor after a silent connection, and after the answer of another server', async () => {
  const asked: (string | null)[] = [];
  const feed = createServer((request, response) => {
    const cursor = new URL(request.url ?? '', 'http://feed').searchParams.get('cursor');
    asked.push(cursor);
    // As on a network that has changed: the second call has no answer, and no error. The third gets the page of a login.
    if (asked.length === 2) return;
    if (asked.length === 3) {
      response.setHeader('content-type', 'text/html').end('<title>Log in</title>');
      return;
    }
    response.end(JSON.stringify({ data: [], cursor: `after-${cursor}`, done: true }));
  });
  const connection = { baseUrl: `http://127.0.0.1:${await listen(feed)}`, token: 'none' };
  const stop = new AbortController();
  const filter = { accounts: [], eventTypes: [], consumer: null };
  const news: string[] = [];
  for await (const { kind } of readFeed({
    ...{ connection, filter, start: {}, follow: true, giveUpMs: null, signal: stop.signal },
    silenceMs: 10_000,
  })) {
    news.push(kind);
    if (news.length === 5) stop.abort();
  }
  feed.closeAllConnections();
  feed.close();
  expect(news).toEqual(['connected', 'page', 'reconnecting', 'connected', 'page']);
  expect(asked).toEqual([null, 'after-null', 'after-null', 'after-null']);
});

test('a page that comes in parts has no limit for the whole; a silence within a page ends the call', async () => {
  const silenceMs = 10_000;
  const pauseMs = silenceMs / 10;
  const asked: (string | null)[] = [];
  const stop = new AbortController();
  const feed = createServer(async (request, response) => {
    const cursor = new URL(request.url ?? '', 'http://feed').searchParams.get('cursor');
    asked.push(cursor);
    const page = JSON.stringify({
      data: [],
      cursor: `after-${cursor}`,
      done: true,
      dropped_headers: ['x'.repeat(300)],
    });
    if (asked.length === 1) return void response.end(page);
    if (asked.length === 2) return void response.write(page.slice(0, 10));
    // Without an end, each page would be fetched again for ever.
    if (asked.length > 3) stop.abort();
    // Three times the limit, with pauses that are far below it.
    const length = Math.ceil(page.length / ((3 * silenceMs) / pauseMs));
    for (let at = 0; at < page.length; at += length) {
      response.write(page.slice(at, at + length));
      await sleep(pauseMs);
    }
    response.end();
  });
  const connection = { baseUrl: `http://127.0.0.1:${await listenForTest(feed)}`, token: 'none' };
  const news: string[] = [];
  for await (const one of readFeed({
    ...{ connection, filter: { accounts: [], eventTypes: [], consumer: null }, start: {}, follow: true },
    ...{ giveUpMs: null, signal: stop.signal, silenceMs },
  })) {
    news.push(one.kind === 'reconnecting' ? one.reason : one.kind);
    if (news.length === 5) stop.abort();
  }
  expect(news).toEqual([
    'connected',
    'page',
    expect.stringContaining('nothing has come for 10 s'),
    'connected',
    'page',
  ]);
  expect(asked).toEqual([null, 'after-null', 'after-null']);
});
