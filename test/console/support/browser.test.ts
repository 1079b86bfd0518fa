import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { listenForTest } from '../../support/listen-for-test.ts';
import { browserEndsWithItsFile, openConsole } from './browser.ts';
import { test } from './browser-test.ts';

browserEndsWithItsFile();

/** Vitest ends with status 1 for one of them, although every test has passed. */
const uncaught: unknown[] = [];
const note = (error: unknown) => uncaught.push(error);
process.on('unhandledRejection', note);
afterAll(() => void process.off('unhandledRejection', note));

const routeEnded = Promise.withResolvers<void>();

test('a page is closed while a route of it waits for the answer of the gateway', async () => {
  const asked = Promise.withResolvers<void>();
  const server = createServer(({ url }, response) => {
    if (url === '/slow') asked.resolve();
    else response.setHeader('content-type', 'text/html').end('<link rel="icon" href="data:,">');
  });
  const baseUrl = `http://127.0.0.1:${await listenForTest(server)}`;
  const page = await openConsole({ baseUrl, token: null });
  await page.route('**/slow', async (route) => {
    try {
      await route.fetch();
    } finally {
      routeEnded.resolve();
    }
  });
  await page.evaluate(() => void fetch('/slow').catch(() => undefined));
  await asked.promise;
});

test('the error of that route has been caught', async () => {
  await routeEnded.promise;
  // Node reports a rejection that nothing handles before it goes on with its event loop.
  await setImmediate();
  expect(uncaught).toEqual([]);
});
