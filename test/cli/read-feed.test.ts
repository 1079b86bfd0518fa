import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { readFeed } from '../../src/cli/listen/read-feed.ts';
import { parseRoutes, routeOf } from '../../src/cli/listen/routes.ts';
import { listen } from '../support/listen.ts';

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
    silenceMs: 200,
  })) {
    news.push(kind);
    if (news.length === 5) stop.abort();
  }
  feed.closeAllConnections();
  feed.close();
  expect(news).toEqual(['connected', 'page', 'reconnecting', 'connected', 'page']);
  expect(asked).toEqual([null, 'after-null', 'after-null', 'after-null']);
});
