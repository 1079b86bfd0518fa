import tls from 'node:tls';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keptAnswerBytes } from '../../src/shared/kept-answer.ts';
import { lacks } from '../support/may-skip/list.ts';
import { consumer, hook, selfSignedConsumer, sender } from './servers.ts';

describe('the request', () => {
  test('is a POST with the headers, path and query given', async () => {
    const { url, seen } = await consumer((response) => response.end('thanks'));
    const result = await sender().post(
      hook(`${url}?a=1%20b#part`, {
        headers: [
          ['X-A', '1'],
          ['x-a', '2'],
        ],
      }),
    );
    expect(result).toEqual({
      outcome: 'delivered',
      responseCode: 200,
      responseBody: 'thanks',
      responseHeaders: expect.objectContaining({ 'content-length': '6' }),
      retryAfterMs: null,
      error: null,
      requestHeaders: ['X-A', '1', 'x-a', '2'],
      durationMs: expect.any(Number),
      connectMs: expect.any(Number),
      answerMs: expect.any(Number),
    });
    expect(seen).toMatchObject([{ method: 'POST', path: '/hook?a=1%20b' }]);
    expect(seen[0]?.rawHeaders.slice(4)).toEqual(['X-A', '1', 'x-a', '2', 'content-length', '7']);
  });

  test('carries any bytes unchanged', async () => {
    const { url, seen } = await consumer((response) => response.end());
    const { post } = sender();
    const bytes = fc.oneof(fc.uint8Array(), fc.uint8Array({ minLength: 70_000, maxLength: 90_000, size: 'max' }));
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        expect((await post(hook(url, { body }))).outcome).toBe('delivered');
        expect(Buffer.compare(seen.at(-1)?.body ?? Buffer.of(1), body)).toBe(0);
      }),
      { numRuns: 30 },
    );
    const zipped = gzipSync('{"a":1}');
    await post(hook(url, { body: zipped, headers: [['content-encoding', 'gzip']] }));
    expect(gunzipSync(seen.at(-1)?.body ?? '').toString()).toBe('{"a":1}');
  });

  test('sends the credentials of the URL as Basic authentication and never shows them', async () => {
    const { port, seen } = await consumer((response) => response.writeHead(500).end());
    const { post } = sender();
    const result = await post(hook(`http://us%40er:p%C3%A4ss@127.0.0.1:${port}/token-1?token=2`));
    const at = seen[0]?.rawHeaders.indexOf('authorization') ?? -1;
    expect(seen[0]?.rawHeaders[at + 1]).toBe(`Basic ${Buffer.from('us@er:päss').toString('base64')}`);
    expect(result.error).toBe(`127.0.0.1:${port} answered 500 Internal Server Error`);
    await post(hook(`http://100%:x@127.0.0.1:${port}/`));
    expect(seen[1]?.rawHeaders[at + 1]).toBe(`Basic ${Buffer.from('100%:x').toString('base64')}`);
  });

  test.skipIf(lacks('ipv6'))('works over IPv6', async () => {
    const { url, seen } = await consumer((response) => response.end(), '::1');
    expect(await sender().post(hook(url))).toMatchObject({ outcome: 'delivered' });
    expect(seen).toHaveLength(1);
  });

  test('works over TLS, resumes sessions, and checks the name in the certificate', async () => {
    const { port, cert, resumed } = await selfSignedConsumer();
    const trusted = tls.getCACertificates();
    onTestFinished(() => tls.setDefaultCACertificates(trusted));
    tls.setDefaultCACertificates([...trusted, cert]);
    const { post } = sender();
    for (let index = 0; index < 2; index++) {
      expect(await post(hook(`https://localhost:${port}/`))).toMatchObject({
        outcome: 'delivered',
        responseBody: 'secure',
      });
    }
    expect(resumed).toEqual([false, true]);
    const byAddress = await post(hook(`https://127.0.0.1:${port}/`));
    expect(byAddress.outcome).toBe('tls_error');
    expect(byAddress.error).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test.each([
    ['', 'the URL is not a valid absolute URL'],
    ['/hook?secret=1', 'the URL is not a valid absolute URL'],
    ['http://', 'the URL is not a valid absolute URL'],
    ['ftp://user:pass@example.com/', 'the URL must begin with http: or https:, not ftp:'],
    ['javascript:alert(1)', 'the URL must begin with http: or https:, not javascript:'],
  ])('to %j is refused', async (url, error) => {
    expect(await sender().post(hook(url))).toMatchObject({ outcome: 'invalid_url', responseCode: null, error });
  });
});

describe('the status decides', () => {
  test.each([200, 201, 202, 204, 299])('%i is delivered', async (code) => {
    const { url } = await consumer((response) => response.writeHead(code).end());
    expect(await sender().post(hook(url))).toMatchObject({ outcome: 'delivered', responseCode: code, error: null });
  });

  test.each([304, 400, 404, 410, 429, 500, 503, 599])('%i is a failure', async (code) => {
    const { url, port } = await consumer((response) => response.writeHead(code).end());
    const result = await sender().post(hook(url));
    expect(result).toMatchObject({ outcome: 'http_error', responseCode: code, responseBody: '' });
    expect(result.error).toMatch(new RegExp(`^127\\.0\\.0\\.1:${port} answered ${code}`));
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed; the error shows only the target’s origin', async (code) => {
    const other = await consumer((response) => response.end());
    const location = `http://user:pass@127.0.0.1:${other.port}/secret?token=1`;
    const { url } = await consumer((response) => response.writeHead(code, { location }).end('moved'));
    const result = await sender().post(hook(url));
    expect(result).toMatchObject({ outcome: 'http_error', responseCode: code, responseBody: 'moved' });
    expect(result.error).toContain(`, a redirect to http://127.0.0.1:${other.port}; redirects are not followed`);
    expect(result.error).not.toMatch(/secret|token|pass/);
    expect(other.seen).toEqual([]);
  });

  test('a redirect without a valid target is a failure', async () => {
    const { url } = await consumer((response) => response.writeHead(302).end());
    expect((await sender().post(hook(url))).error).toMatch(
      /answered 302 Found, a redirect; redirects are not followed$/,
    );
  });

  test('a 103 before the final status is ignored', async () => {
    const { url } = await consumer((response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(201).end('made');
    });
    expect(await sender().post(hook(url))).toMatchObject({
      outcome: 'delivered',
      responseCode: 201,
      responseBody: 'made',
    });
  });
});

describe('Retry-After', () => {
  const ask = async (code: number, value: string) => {
    const { url } = await consumer((response) => response.writeHead(code, { 'retry-after': value }).end());
    return (await sender().post(hook(url))).retryAfterMs;
  };
  test.each([
    [429, '120', 120_000],
    [503, '7', 7_000],
    [503, 'soon', null],
    [429, '-1', null],
    [500, '120', null],
    [200, '120', null],
    [302, '120', null],
  ])('%i with %s', async (code, value, expected) => expect(await ask(code, value)).toBe(expected));

  test('as a date, by the clock of the request', async () => {
    const headers = { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' };
    const { url } = await consumer((response) => response.writeHead(429, headers).end());
    const nowMs = () => Date.UTC(1994, 10, 6, 8, 48, 37);
    expect(await sender().post(hook(url, { nowMs }))).toMatchObject({ retryAfterMs: 60_000 });
  });

  test('as a date', async () => {
    const waitMs = await ask(429, new Date(Date.now() + 3_600_000).toUTCString());
    expect(waitMs).toBeGreaterThan(3_000_000);
    expect(waitMs).toBeLessThanOrEqual(3_600_000);
  });
});

describe('the part of the answer that is kept', () => {
  const bodyOf = async (body: Buffer | string) => {
    const { url } = await consumer((response) => response.end(body));
    return (await sender().post(hook(url))).responseBody;
  };

  test('is an answer of 16 KiB completely', async () => {
    expect(await bodyOf('a'.repeat(keptAnswerBytes))).toBe('a'.repeat(keptAnswerBytes));
    expect(await bodyOf('a'.repeat(keptAnswerBytes + 1))).toBe('a'.repeat(keptAnswerBytes));
  });

  test('ends with a whole character', async () => {
    expect(await bodyOf('é'.repeat(keptAnswerBytes))).toBe('é'.repeat(keptAnswerBytes / 2));
    expect(await bodyOf(`a${'é'.repeat(keptAnswerBytes)}`)).toBe(`a${'é'.repeat(keptAnswerBytes / 2 - 1)}`);
  });

  test('is text that PostgreSQL can store', async () => {
    expect(await bodyOf('a\0b')).toBe('a\ufffdb');
    expect(await bodyOf(Buffer.of(0x61, 0xff, 0xc3))).toBe('a\ufffd\ufffd');
  });

  test('is little of 100 MB: the rest is not read', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'a');
    const { promise: written, resolve } = Promise.withResolvers<number>();
    const { url } = await consumer((response, { socket }) => {
      let left = 100;
      const more = () => {
        while (left > 0 && response.write(mebibyte)) left--;
        if (left-- <= 0) response.end();
      };
      response.on('drain', more);
      response.on('close', () => resolve(socket.bytesWritten));
      more();
    });
    const result = await sender().post(hook(url));
    expect(result).toMatchObject({
      outcome: 'delivered',
      responseCode: 200,
      responseBody: 'a'.repeat(keptAnswerBytes),
    });
    // The two socket buffers of loopback hold a few MB at most.
    expect(await written).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('connections', () => {
  test('are reused', async () => {
    const { url, seen } = await consumer((response) => response.end('ok'));
    const { post } = sender();
    for (let index = 0; index < 20; index++) await post(hook(url));
    // The connection is not yet free in the tick of the last answer, so a POST in that tick may open a second one.
    expect(new Set(seen.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
  });

  test('500 posts at a time all arrive', async () => {
    const { url, seen } = await consumer((response, { body }) => setImmediate(() => response.end(body)));
    const { post } = sender({ connectionsPerOrigin: 50 });
    const bodies = Array.from({ length: 500 }, (_, index) => `{"n":${index}}`);
    const results = await Promise.all(bodies.map((body) => post(hook(url, { body: Buffer.from(body) }))));
    expect(results.map(({ responseBody }) => responseBody)).toEqual(bodies);
    expect(new Set(seen.map(({ socket }) => socket)).size).toBe(50);
  });

  test('hanging requests do not delay others to the same host', async () => {
    const { url, port } = await consumer((response, { path }) => path === '/hook' && response.end('ok'));
    const { post } = sender();
    const limit = { timeLimitMs: 300 };
    const hanging = Array.from({ length: 20 }, () => post(hook(`http://127.0.0.1:${port}/hang`, limit)));
    expect(await post(hook(url))).toMatchObject({ outcome: 'delivered' });
    for (const result of await Promise.all(hanging)) expect(result.outcome).toBe('timeout');
  });

  test('close waits for the POST in flight; a later POST is a failed outcome', async () => {
    const held = Promise.withResolvers<() => void>();
    const { url, port } = await consumer((response) => held.resolve(() => response.end('late')));
    const { post, close } = sender();
    const result = post(hook(url));
    const answer = await held.promise;
    const closed = close();
    answer();
    expect(await result).toMatchObject({ outcome: 'delivered', responseBody: 'late' });
    await closed;
    const later = await post(hook(url));
    expect(later).toMatchObject({ outcome: 'connection_error' });
    expect(later.error).toContain(`127.0.0.1:${port}`);
  });
});
