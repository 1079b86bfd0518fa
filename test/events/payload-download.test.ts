import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAdminClient } from '../../src/api/client.ts';
import { EventReceiver } from '../../src/events/event-receiver.ts';
import { rawRequest } from '../support/raw-http.ts';
import { receivedEvent, rejectedEvent, rejectionRecorder } from '../support/received.ts';
import { useForAll } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const account = useForAll(() => gateway.admin.createAccount({}));

async function stored(fields: { body?: Buffer; contentType?: string | null }): Promise<string> {
  const event = receivedEvent(account, fields);
  expect(await new EventReceiver(gateway.database).receive(event)).toEqual({ kind: 'stored' });
  return event.id;
}

const download = (id: string, method = 'GET') =>
  fetch(`${gateway.baseUrl}/admin/events/${id}/payload`, {
    method,
    headers: { 'x-admin-token': gateway.adminToken },
  });

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const page = '<html><script>alert(document.domain)</script></html>';

test.each([
  ['every byte', everyByte, 'application/octet-stream', 'bin'],
  ['a page with a script', Buffer.from(page), 'text/html', 'bin'],
  ['JSON', Buffer.from('{ "a" : 1 }\n'), 'application/json; charset=utf-8', 'json'],
  ['JSON of a vendor', Buffer.from('{}'), 'application/vnd.shop+json', 'json'],
  ['a form', Buffer.from('a=1&b=2'), 'application/x-www-form-urlencoded', 'txt'],
  ['an empty body', Buffer.alloc(0), null, 'bin'],
  ['a megabyte', Buffer.alloc(1024 * 1024, 'x'), 'text/plain', 'txt'],
] as const)('%s is downloaded as it was received', async (_name, body, contentType, extension) => {
  const id = await stored({ body: Buffer.from(body), contentType });
  const answer = await download(id);
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(body.length),
    'content-disposition': `attachment; filename="event-${id}.${extension}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'no-store',
    'x-payload-bytes': String(body.length),
    'x-payload-sha256': hash('sha256', body, 'hex'),
    'x-payload-truncated': 'false',
  });
  expect(answer.headers.get('x-payload-content-type')).toBe(contentType);
});

test('a content type cannot add headers or change the name of the file', async () => {
  const id = await stored({ contentType: 'application/json"; x="\r\nSet-Cookie: a=1 é 100%' });
  const answer = await download(id);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="event-${id}.bin"`);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.headers.get('x-payload-content-type')).toBe(
    'application/json"; x="%0D%0ASet-Cookie: a=1 %C3%A9 100%25',
  );
});

test('a truncated body of a rejected webhook says so, with the length and hash of the whole body', async () => {
  const whole = Buffer.from('0123456789'.repeat(10));
  const event = rejectedEvent(account, {
    body: whole.subarray(0, 16),
    payloadBytes: whole.length,
    payloadSha256: hash('sha256', whole, 'buffer'),
  });
  await rejectionRecorder(gateway.database).record(account.id, () => event);
  const answer = await download(event.id);
  expect(await answer.text()).toBe('0123456789012345');
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-payload-truncated': 'true',
    'x-payload-bytes': '100',
    'x-payload-sha256': hash('sha256', whole, 'hex'),
  });
});

test('HEAD has the headers of GET', async () => {
  const id = await stored({ body: Buffer.from('abc'), contentType: 'text/plain' });
  const answer = await download(id, 'HEAD');
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '3', '']);
});

test('an event that was deleted has no payload', async () => {
  const id = await stored({});
  await gateway.rows('delete from events where id = $1', [id]);
  await gateway.rows('delete from event_payloads where event_id = $1', [id]);
  const answer = await rawRequest(gateway.baseUrl, {
    ...{ method: 'GET', path: `/admin/events/${id}/payload` },
    headers: { 'x-admin-token': gateway.adminToken },
  });
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('no byte is sent without a token', async () => {
  const id = await stored({ body: Buffer.from('for operators only') });
  const answer = await fetch(`${gateway.baseUrl}/admin/events/${id}/payload`);
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain('operators');
});

test('the typed client returns the bytes', async () => {
  const id = await stored({ body: everyByte });
  const admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  const { data } = await admin.events({ event_id: id }).payload.get();
  expect(data === null ? null : Buffer.from(data).equals(everyByte)).toBe(true);
});
