import { describe, expect, test } from 'vitest';
import { destinationTypes } from '../../../src/notifications/destinations/destination-config.ts';
import { closedPort, consumer, selfSignedConsumer } from '../../delivery/servers.ts';
import { channels, destinationsAt, failure } from './support.ts';

/** Sends one notice to a destination of this type at this origin. */
function sent(
  type: (typeof destinationTypes)[number],
  origin: string,
  options: { timeLimitMs?: number; nowMs?: () => number } = {},
) {
  const [settings, mail] = destinationsAt[type](origin);
  const { nowMs, ...deps } = options;
  return channels({ mail, ...deps })(settings, failure(), nowMs);
}
const originOf = (port: number) => `http://127.0.0.1:${port}`;
const none = { responseCode: null, responseBody: null, retryAfterMs: null, durationMs: expect.any(Number) };

describe.each(destinationTypes)('%s', (type) => {
  test.each([200, 202, 204, 299])('%i is ok', async (status) => {
    const { port, seen } = await consumer((response) => response.writeHead(status).end());
    expect(await sent(type, originOf(port))).toEqual({
      ...{ ok: true, responseCode: status, responseBody: '', durationMs: expect.any(Number), outboxFile: null },
    });
    expect(seen).toHaveLength(1);
  });

  test.each([
    [400, 'Bad Request'],
    [401, 'Unauthorized'],
    [404, 'Not Found'],
    [410, 'Gone'],
    [413, 'Payload Too Large'],
    [500, 'Internal Server Error'],
    [503, 'Service Unavailable'],
  ])('%i is an error with the body of the answer, and can be retried', async (status, words) => {
    const { port, seen } = await consumer((response) => response.writeHead(status).end('no_service\r\n'));
    expect(await sent(type, originOf(port))).toEqual({
      ...none,
      ...{ ok: false, outcome: 'http_error', responseCode: status, responseBody: 'no_service\r\n', permanent: false },
      error: `127.0.0.1:${port} answered ${status} ${words}: no_service`,
    });
    expect(seen).toHaveLength(1);
  });

  test('the error of an answer without a body has the status only', async () => {
    const { port } = await consumer((response) => response.writeHead(500).end());
    const error = `127.0.0.1:${port} answered 500 Internal Server Error`;
    expect(await sent(type, originOf(port))).toMatchObject({ ok: false, error, responseBody: '' });
  });

  test.each([429, 503])('Retry-After of a %i is used', async (status) => {
    const { port } = await consumer((response) => response.writeHead(status, { 'retry-after': '7' }).end());
    expect(await sent(type, originOf(port))).toMatchObject({ ok: false, retryAfterMs: 7_000, permanent: false });
  });

  test('a date in Retry-After is compared with the clock of the caller', async () => {
    const nowMs = () => Date.UTC(1994, 10, 6, 8, 48, 37);
    const headers = { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' };
    const { port } = await consumer((response) => response.writeHead(503, headers).end());
    expect(await sent(type, originOf(port), { nowMs })).toMatchObject({ ok: false, retryAfterMs: 60_000 });
  });

  test('a redirect is not followed', async () => {
    const elsewhere = await consumer((response) => response.end());
    const { port } = await consumer((response) => response.writeHead(307, { location: elsewhere.url }).end());
    expect(await sent(type, originOf(port))).toMatchObject({
      ...{ ok: false, outcome: 'http_error', responseCode: 307, permanent: false },
      error: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 307 .*redirects are not followed$/),
    });
    expect(elsewhere.seen).toEqual([]);
  });

  test('a service that hangs is a timeout', async () => {
    const { port } = await consumer(() => undefined);
    expect(await sent(type, originOf(port), { timeLimitMs: 5_000 })).toEqual({
      ...none,
      ...{ ok: false, outcome: 'timeout', permanent: false },
      error: `127.0.0.1:${port} did not answer within 5 s`,
    });
  });

  test('the first 16 KiB of a huge answer are kept', async () => {
    const { port } = await consumer((response) => response.writeHead(500).end('é'.repeat(200_000)));
    const said = await sent(type, originOf(port));
    expect(said.responseBody).toBe('é'.repeat(8 * 1024));
    expect(said).toMatchObject({
      error: `127.0.0.1:${port} answered 500 Internal Server Error: ${'é'.repeat(200)}…`,
    });
  });

  test('an answer becomes one line without control characters', async () => {
    const body = ' a\r\n\tb\u001b[31mc\u2028d\u202ee\u0000 \u{1f600} ';
    const { port } = await consumer((response) => response.writeHead(400).end(body));
    expect(await sent(type, originOf(port))).toMatchObject({
      error: `127.0.0.1:${port} answered 400 Bad Request: a b [31mc d e\ufffd \u{1f600}`,
    });
  });

  test.each([
    ['http://169.254.169.254', '169.254.169.254 is a cloud metadata address'],
    ['http://10.0.0.1', '10.0.0.1 is a private address'],
    ['https://[fd00::1]', 'fd00::1 is a private address'],
  ])('%s is refused', async (origin, words) => {
    expect(await sent(type, origin)).toEqual({
      ...none,
      ...{ ok: false, outcome: 'address_refused', permanent: false },
      error: `${words}; DELIVERY_ALLOWED_NETWORKS does not list it`,
    });
  });

  test('loopback is refused unless it is allowed', async () => {
    const { port, seen } = await consumer((response) => response.end());
    const [settings, mail] = destinationsAt[type](originOf(port));
    expect(await channels({ mail }, { allowedNetworks: [] })(settings, failure())).toMatchObject({
      ...{ ok: false, outcome: 'address_refused' },
    });
    expect(seen).toEqual([]);
  });

  test('a closed port and a self-signed certificate are errors', async () => {
    expect(await sent(type, originOf(closedPort))).toMatchObject({ ok: false, outcome: 'connection_refused' });
    const { port } = await selfSignedConsumer();
    expect(await sent(type, `https://localhost:${port}`)).toMatchObject({ ok: false, outcome: 'tls_error' });
  });

  test('an invalid address is a permanent failure', async () => {
    expect(await sent(type, 'no address')).toMatchObject({ ok: false, outcome: 'invalid_url', permanent: true });
    expect(await sent(type, 'ftp://do-not-repeat.test')).toMatchObject({ outcome: 'invalid_url', permanent: true });
  });
});

describe('the delay in a 429 of chat_two', () => {
  const asked = async (body: string, headers: Record<string, string> = {}, status = 429) => {
    const { port } = await consumer((response) => response.writeHead(status, headers).end(body));
    const said = await sent('chat_two', originOf(port));
    return said.ok ? 'ok' : said.retryAfterMs;
  };
  test.each([
    ['{"message":"You are being rate limited.","retry_after":0.6457,"global":false}', 646],
    ['{"retry_after":64}', 64_000],
    ['{"retry_after":1e12}', 24 * 60 * 60 * 1000],
    ['{"retry_after":-1}', null],
    ['{"retry_after":"5"}', null],
    ['[]', null],
    ['null', null],
    ['error code: 1015', null],
    ['', null],
  ])('with the body %s', async (body, expected) => expect(await asked(body)).toBe(expected));
  test('is that of the header if it has one', async () =>
    expect(await asked('{"retry_after":5}', { 'retry-after': '3' })).toBe(3_000));
  test('is not read from the body of another status', async () =>
    expect(await asked('{"retry_after":5}', {}, 400)).toBeNull());
});
