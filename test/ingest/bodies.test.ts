import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { rawRequest } from '../support/raw-http.ts';
import { eventsOf, storedEvent } from '../support/stored.ts';
import { useForAll } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const limitBytes = 1024 * 1024;

const gateway = useGateway({ worker: false });
const account = useForAll(() => gateway.admin.createAccount({}));

const path = () => `/generic/${account.account_slug}`;

describe('the bytes are stored unchanged:', () => {
  const json = ' {"b" : 1.50,\r\n\t"a":[ ],"\\u00e9":"\\u0041","a":2}\n';
  test.each<[name: string, contentType: string | null, body: string | Uint8Array]>([
    ['JSON with its white space, order and repeated keys', 'application/json', json],
    ['JSON of another content type', 'application/vnd.api+json; charset=utf-8', json],
    ['invalid JSON', 'application/json', '{"a":'],
    ['JSON without a content type', null, json],
    ['a form', 'application/x-www-form-urlencoded', 'id=1&type=a+b%20c'],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
    ],
    ['a multipart form without a boundary', 'multipart/form-data', 'no parts'],
    ['text', 'text/plain', 'hello'],
    ['XML', 'application/xml', '<?xml version="1.0"?><a/>'],
    ['every byte', 'application/octet-stream', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
    ['invalid UTF-8', 'application/json', Buffer.from('7b226964223a22ff227d', 'hex')],
    ['a byte order mark', 'application/json', '\ufeff{"id":"bom"}'],
    ['compressed bytes', 'application/gzip', Buffer.from('1f8b08000000000000030300000000000000000000', 'hex')],
    ['nothing', 'application/json', ''],
    ['an invalid content type', '???', 'x'],
  ])('%s', async (_name, contentType, body) => {
    const headers: Record<string, string> = contentType === null ? {} : { 'content-type': contentType };
    const answer = await rawRequest(gateway.baseUrl, { path: path(), headers, body });
    expect(answer.status).toBe(202);
    const row = await storedEvent(gateway.database, answer.body.id);
    expect(row?.body.toString('hex')).toBe(Buffer.from(body).toString('hex'));
    expect(row?.content_type).toBe(contentType);
  });

  test('a chunked body is stored as one', async () => {
    const chunks = ['{"id":"chu', 'nk', 'ed"}'].map((part) => Buffer.from(part));
    const answer = await rawRequest(gateway.baseUrl, { path: path(), chunks });
    expect(answer).toMatchObject({ status: 202, body: { external_id: 'chunked' } });
    expect((await storedEvent(gateway.database, answer.body.id))?.body.toString()).toBe('{"id":"chunked"}');
  });
});

describe('hostile content is stored', () => {
  const long = 'x'.repeat(300);
  test.each<[name: string, body: string, id: unknown, type: string | null]>([
    ['NUL', '{"id":"a\\u0000b","type":"t\\u0000"}', 'a\ufffdb', 't\ufffd'],
    ['lone surrogates', '{"id":"\\ud800","type":"\\udfff"}', '\ufffd', '\ufffd'],
    ['300 characters', `{"id":"${long}","type":"${long}"}`, long.slice(0, 255), long.slice(0, 255)],
    ['300 characters beyond ASCII', `{"id":"${'😀'.repeat(300)}"}`, '😀'.repeat(255), null],
    ['a prototype', '{"__proto__":{"id":"p"},"constructor":1}', expect.stringMatching(/^gen-/), null],
    ['SQL', `{"id":"'; drop table events; --","type":"$1"}`, "'; drop table events; --", '$1'],
  ])('%s in id and type', async (_name, body, id, type) => {
    const answer = await gateway.send(account, body);
    expect(answer).toMatchObject({ status: 202, body: { external_id: id, event_type: type } });
    const shown = await gateway.admin.event(answer.body.id);
    expect([shown.external_id, shown.event_type]).toEqual([answer.body.external_id, type]);
    expect((await storedEvent(gateway.database, answer.body.id))?.body.toString()).toBe(body);
  });

  const half = limitBytes / 2;
  test.each([
    ['arrays', `${'['.repeat(half)}${']'.repeat(half)}`],
    ['objects', `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`],
    ['arrays before an id', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)},"id":9007199254740993}`],
  ])('very deep %s', async (_name, body) => {
    const answer = await gateway.send(account, body);
    expect(answer.status).toBe(202);
    expect((await storedEvent(gateway.database, answer.body.id))?.body.toString()).toBe(body);
    const shown = await gateway.admin.request('GET', `/admin/events/${answer.body.id}`);
    expect(shown.status).toBe(200);
    // Too deep to parse, so it is shown as text.
    expect(shown.body.payload).toBe(body);
  });

  test('header values beyond ASCII', async () => {
    const value = Buffer.from('Zoë 東京').toString('latin1');
    const answer = await rawRequest(gateway.baseUrl, {
      path: path(),
      headers: { 'x-name': value },
      body: Buffer.from('x'),
    });
    expect(answer.status).toBe(202);
    expect((await gateway.admin.event(answer.body.id)).headers).toContainEqual(['x-name', value]);
  });
});

describe('size', () => {
  test.each([
    ['declared', (bytes: Buffer) => ({ body: bytes })],
    ['chunked', (bytes: Buffer) => ({ chunks: [bytes.subarray(0, 700_000), bytes.subarray(700_000)] })],
  ])('%s: a body of exactly the limit is accepted, one byte more is 413', async (_name, carry) => {
    const exact = Buffer.alloc(limitBytes, 'a');
    const taken = await rawRequest(gateway.baseUrl, { path: path(), ...carry(exact) });
    expect(taken.status).toBe(202);
    expect((await storedEvent(gateway.database, taken.body.id))?.body.equals(exact)).toBe(true);
    const before = (await eventsOf(gateway.database, account.id)).length;
    const refused = await rawRequest(gateway.baseUrl, { path: path(), ...carry(Buffer.alloc(limitBytes + 1)) });
    expect(refused).toMatchObject({ status: 413, body: { code: 'payload_too_large', status: 413 } });
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(await eventsOf(gateway.database, account.id)).toHaveLength(before);
  });

  test('a chunked body far above the limit is 413', async () => {
    const chunks = Array.from({ length: 160 }, () => Buffer.alloc(64 * 1024));
    const refused = await rawRequest(gateway.baseUrl, { path: path(), chunks });
    expect(refused).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  test('MAX_PAYLOAD_BYTES sets the limit', async () => {
    const small = await startGateway({ worker: false, maxPayloadBytes: 10 });
    const { account_slug } = await small.admin.createAccount({});
    const post = (body: string) => rawRequest(small.baseUrl, { path: `/generic/${account_slug}`, body });
    expect((await post('0123456789')).status).toBe(202);
    expect((await post('0123456789+')).status).toBe(413);
    await small.stop();
  });
});

describe('a client that disconnects', () => {
  test.each([
    ['in the middle of a declared body', 'content-length: 1000\r\n\r\n{"id":"half'],
    ['in the middle of a chunk', 'transfer-encoding: chunked\r\n\r\n64\r\n{"id":"half'],
    ['between two chunks', 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['after a body that is not valid HTTP', 'transfer-encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s leaves no event, and other clients are served', async (_name, rest) => {
    const own = await gateway.admin.createAccount({});
    const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST /generic/${own.account_slug} HTTP/1.1\r\nhost: gateway\r\n${rest}`);
    // If the client closed at once, the gateway would not have read the request yet.
    await sleep(50);
    socket.resetAndDestroy();
    await once(socket, 'close');
    const answer = await gateway.send(own, 'whole');
    expect(answer.status).toBe(202);
    expect((await eventsOf(gateway.database, own.id)).map((event) => event.body.toString())).toEqual(['whole']);
  });
});

describe('concurrent webhooks', () => {
  test('64 with different ids are all stored, each once', async () => {
    const own = await gateway.admin.createAccount({});
    const bodies = Array.from({ length: 64 }, (_, n) => `{"id":"n${n}"}`);
    const answers = await Promise.all(bodies.map((body) => gateway.send(own, body)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(64).fill(202));
    expect(answers.map((answer) => answer.body.external_id)).toEqual(bodies.map((_, n) => `n${n}`));
    const stored = await eventsOf(gateway.database, own.id);
    expect(stored).toHaveLength(64);
    for (const [n, answer] of answers.entries()) {
      expect(stored.find((event) => event.id === answer.body.id)?.body.toString()).toBe(bodies[n]);
    }
  });

  test('64 without an id and with equal bytes are 64 events', async () => {
    const own = await gateway.admin.createAccount({});
    const answers = await Promise.all(Array.from({ length: 64 }, () => gateway.send(own, 'ping')));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(64);
    expect(await eventsOf(gateway.database, own.id)).toHaveLength(64);
  });
});
