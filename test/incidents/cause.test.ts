import { expect, test } from 'vitest';
import { causeOf } from '../../src/incidents/counting/cause.ts';

const httpError = (responseCode: number, responseBody: string | null) =>
  causeOf({ outcome: 'http_error', responseCode, responseBody, error: `the consumer answered ${responseCode}` });

test.each([
  [500, null, '500'],
  [500, '', '500'],
  [503, 'down for maintenance', '503 down for maintenance'],
  [500, 'TypeError: x is null\n    at handle (/app/webhooks.js:12:7)', '500 TypeError: x is null'],
  [500, '\n\n  TypeError at webhooks.js:127:31\r\nmore', '500 TypeError at webhooks.js:#:#'],
  [404, 'order 4711 not found', '404 order # not found'],
  [409, '{"error":"duplicate","id":"01a20281-79fb-71bb-9354-28b571c7eeaf"}', '409 {"error":"duplicate","id":"#"}'],
  [500, 'commit deadbeef01 failed', '500 commit # failed'],
  [500, 'event evt_1NG8Du2eZvKYlo2C unknown', '500 event # unknown'],
  [500, 'decade facade', '500 decade facade'],
  [500, 'a\u0000b\tc', '500 a b c'],
])('an answer %i with %j has the cause %j', (status, body, cause) => {
  expect(httpError(status, body)).toBe(cause);
});

test('a cause has at most 200 characters, and of a huge answer only the beginning is read', () => {
  const cause = httpError(500, 'x y '.repeat(100_000));
  expect(cause).toHaveLength(200);
  expect(cause.startsWith('500 x y x y')).toBe(true);
});

test('failures without an answer have the name of their outcome and the error', () => {
  const error = '127.0.0.1:4711 refused the connection';
  const cause = causeOf({ outcome: 'connection_refused', responseCode: null, responseBody: null, error });
  expect(cause).toBe('connection_refused #.#.#.#:# refused the connection');
});
