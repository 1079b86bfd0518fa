import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { waitingUrl } from '../../../src/notifications/channels/chat-two.ts';
import { chatOneMessage } from '../../../src/notifications/messages/chat-one-message.ts';
import { chatTwoMessage } from '../../../src/notifications/messages/chat-two-message.ts';
import { webhookMessage } from '../../../src/notifications/messages/webhook-message.ts';
import { version } from '../../../src/shared/version.ts';
import { consumer } from '../../delivery/servers.ts';
import { channels, failure, headersOf, incident, summary } from './support.ts';

const always = (body: Buffer) => ({
  ...{ host: expect.any(String), connection: expect.any(String), 'content-length': String(body.length) },
  'content-type': 'application/json',
});
const json = (message: object) => JSON.stringify(message);

test.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a text, no base64'])(
  'a webhook gets the message, signed with %s',
  async (secret) => {
    const { url, seen } = await consumer((response) => response.end('taken'));
    const notice = failure({}, { event_type: 'größe 😀\r\n' });
    const said = await channels()({ destination_type: 'webhook', config: { url: `${url}?a=b%20c`, secret } }, notice);
    expect(said).toEqual({
      ...{ ok: true, responseCode: 200, responseBody: 'taken', durationMs: expect.any(Number), outboxFile: null },
    });
    const [request, ...more] = seen;
    expect(more).toEqual([]);
    expect([request?.method, request?.path]).toEqual(['POST', '/hook?a=b%20c']);
    const body = request?.body ?? Buffer.alloc(0);
    expect(String(body)).toBe(json(webhookMessage(notice)));
    const headers = headersOf(request);
    expect(headers).toEqual({
      ...always(body),
      ...{ 'idempotency-key': notice.id, 'webhook-id': notice.id },
      ...{ 'webhook-timestamp': expect.stringMatching(/^\d{10}$/), 'webhook-signature': expect.any(String) },
    });
    const raw = secret.startsWith('whsec_') ? {} : { format: 'raw' as const };
    expect(new Webhook(secret, raw).verify(body, headers)).toEqual(JSON.parse(String(body)));
    expect(() => new Webhook('another', { format: 'raw' }).verify(body, headers)).toThrow();
  },
);

test.each([{}, { secret: null }])('a webhook without a secret (%j) gets no signature', async (more) => {
  const { url, seen } = await consumer((response) => response.end());
  await channels()({ destination_type: 'webhook', config: { url, ...more } }, failure());
  expect(headersOf(seen[0])).not.toHaveProperty('webhook-signature');
  expect(headersOf(seen[0])).toHaveProperty('webhook-id');
});

test('the same notice has the same idempotency key again', async () => {
  const { url, seen } = await consumer((response) => response.end());
  const send = channels();
  for (let n = 0; n < 2; n++) await send({ destination_type: 'webhook', config: { url } }, failure());
  expect(seen.map((one) => headersOf(one)['idempotency-key'])).toEqual([failure().id, failure().id]);
});

test('an id that is no valid header value is encoded, and signed in that form', async () => {
  const { url, seen } = await consumer((response) => response.end());
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  await channels()({ destination_type: 'webhook', config: { url, secret } }, failure({ id: 'a\r\nb: ü' }));
  const headers = headersOf(seen[0]);
  expect(headers['webhook-id']).toBe('a%0D%0Ab:%20%C3%BC');
  expect(() => new Webhook(secret).verify(seen[0]?.body ?? '', headers)).not.toThrow();
});

test('user and password of a URL become Basic authentication', async () => {
  const { port, seen } = await consumer((response) => response.end());
  await channels()({ destination_type: 'webhook', config: { url: `http://me:p%40ss@127.0.0.1:${port}/` } }, failure());
  expect(headersOf(seen[0]).authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

test('a webhook gets an incident, signed, with its own idempotency key', async () => {
  const { url, seen } = await consumer((response) => response.end());
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  await channels()({ destination_type: 'webhook', config: { url, secret } }, incident);
  const body = seen[0]?.body ?? Buffer.alloc(0);
  const headers = headersOf(seen[0]);
  expect(headers).toMatchObject({ 'webhook-id': incident.id, 'idempotency-key': incident.id });
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(json(webhookMessage(incident))));
});

test('a summary to a webhook is refused with an error that says so', async () => {
  const { url, seen } = await consumer((response) => response.end());
  expect(await channels()({ destination_type: 'webhook', config: { url } }, summary)).toMatchObject({
    ...{ ok: false, outcome: 'message_error', error: 'the message could not be made: TypeError', permanent: false },
  });
  expect(seen).toEqual([]);
});

test.each([failure(), summary, incident])('chat_one gets its message of a $kind', async (notice) => {
  const { port, seen } = await consumer((response) => response.end('ok'));
  const webhook_url = `http://127.0.0.1:${port}/services/T1/B1/token?x=1`;
  expect(await channels()({ destination_type: 'chat_one', config: { webhook_url } }, notice)).toMatchObject({
    ...{ ok: true, responseCode: 200, responseBody: 'ok' },
  });
  const [request] = seen;
  const body = request?.body ?? Buffer.alloc(0);
  expect([request?.method, request?.path]).toEqual(['POST', '/services/T1/B1/token?x=1']);
  expect(String(body)).toBe(json(chatOneMessage(notice)));
  const named = { 'idempotency-key': notice.id, 'user-agent': `webhook-gateway/${version}` };
  expect(headersOf(request)).toEqual({ ...always(body), ...named });
});

test.each([failure(), summary, incident])('chat_two gets its message of a $kind, with wait=true', async (notice) => {
  const { port, seen } = await consumer((response) => response.end('{"id":"1"}'));
  const webhook_url = `http://127.0.0.1:${port}/api/webhooks/12/token?thread_id=7`;
  expect(await channels()({ destination_type: 'chat_two', config: { webhook_url } }, notice)).toMatchObject({
    ...{ ok: true, responseCode: 200, responseBody: '{"id":"1"}' },
  });
  const [request] = seen;
  const body = request?.body ?? Buffer.alloc(0);
  expect([request?.method, request?.path]).toEqual(['POST', '/api/webhooks/12/token?thread_id=7&wait=true']);
  expect(String(body)).toBe(json(chatTwoMessage(notice)));
  const named = { 'idempotency-key': notice.id, 'user-agent': `webhook-gateway/${version}` };
  expect(headersOf(request)).toEqual({ ...always(body), ...named });
});

test.each([
  ['/api/webhooks/12/token', '/api/webhooks/12/token?wait=true'],
  ['/api/v10/webhooks/12/token', '/api/v10/webhooks/12/token?wait=true'],
  ['/api/v9/webhooks/12/token/', '/api/v9/webhooks/12/token/?wait=true'],
  ['/api/webhooks/12/token?', '/api/webhooks/12/token?wait=true'],
  ['/api/webhooks/12/token?a=b%20c+d', '/api/webhooks/12/token?a=b%20c+d&wait=true'],
  ['/api/webhooks/12/token?wait=false', null],
  ['/api/webhooks/12/token?a=1&wait=true', null],
  ['/api/webhooks/12/token/slack', null],
  ['/api/webhooks/12/token/github', null],
  ['/api/webhooks/12', null],
  ['/api/vx/webhooks/12/token', null],
  ['/proxy/api/webhooks/12/token', null],
  ['/hook', null],
  ['', null],
])('the chat_two URL %s is called as %s', (path, expected) => {
  const origin = 'https://chat.test:8443';
  expect(waitingUrl(`${origin}${path}`)).toBe(`${origin}${expected ?? path}`);
});
