import { hash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { rawRequest } from '../support/raw-http.ts';
import { eventsOf } from '../support/stored.ts';
import { forTest } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const keptBytes = 16 * 1024;

const gateway = useGateway({ worker: false });

const closedAccount = () =>
  gateway.admin.createAccount({ skip_signature_verification: false, signing_secret_current: 'closed-secret' });

/** Sends a webhook with a wrong secret. Returns its row and its view in the admin API. */
async function rejected(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const account = await closedAccount();
  expect((await gateway.send(account, body, { 'x-secret': 'guess', ...headers })).status).toBe(401);
  const [row] = await eventsOf(gateway.database, account.id);
  return { row, event: await gateway.admin.event(row?.id) };
}

describe('of a rejected webhook', () => {
  test('a body of 1 MiB is kept to 16 KiB, with its length and its hash', async () => {
    const body = `{"id":"large","type":"t","text":"${'x'.repeat(2 ** 20 - 100)}"}`;
    const { row, event } = await rejected(body);
    expect(row?.body.toString()).toBe(body.slice(0, keptBytes));
    expect(event).toMatchObject({
      payload: body.slice(0, keptBytes),
      payload_bytes: body.length,
      payload_sha256: hash('sha256', body),
      payload_truncated: true,
      event_type: null,
    });
    expect(event.external_id).toMatch(/^gen-\d+-[0-9a-f]{16}$/);
    expect(await gateway.admin.post(`/admin/events/${event.id}/replay`)).toMatchObject({
      status: 409,
      body: { code: 'event_rejected' },
    });
  });

  test('a body of 16 KiB is kept completely, and type and id are read from it', async () => {
    const body = JSON.stringify({ id: 'fits', type: 't', text: '' });
    const full = body.replace('""', `"${'x'.repeat(keptBytes - body.length)}"`);
    const { event } = await rejected(full);
    expect(event).toMatchObject({
      ...{ payload: JSON.parse(full), payload_bytes: keptBytes, payload_truncated: false },
      ...{ payload_sha256: hash('sha256', full), event_type: 't', external_id: 'fits' },
    });
  });

  test('a body of one byte more is cut, and neither type nor id is read from it', async () => {
    const { event } = await rejected(`{"id":"x","type":"t"}${' '.repeat(keptBytes - 20)}`);
    expect(event).toMatchObject({ payload_bytes: keptBytes + 1, payload_truncated: true, event_type: null });
    // The part that is kept is valid JSON, so only the cut keeps its id from being read.
    expect(event.payload).toBe(`{"id":"x","type":"t"}${' '.repeat(keptBytes - 21)}`);
  });

  test.each([
    ['two bytes', 'é', 1],
    ['four bytes', '🎁', 3],
  ])('the text leaves out a character of %s that was cut in two', async (_name, character, before) => {
    const head = 'x'.repeat(keptBytes - before);
    const { row, event } = await rejected(`${head}${character.repeat(100)}`);
    expect(row?.body).toHaveLength(keptBytes);
    expect(event.payload).toBe(head);
  });

  test('bytes that are not UTF-8 are shown as base64', async () => {
    const bytes = randomBytes(keptBytes * 2);
    bytes[7] = 0xff;
    const { event } = await rejected(new Uint8Array(bytes));
    expect(event.payload).toEqual({ base64: bytes.subarray(0, keptBytes).toString('base64') });
  });

  test('the headers that fit in 8 KiB are kept', async () => {
    const { row, event } = await rejected('{}', { 'x-long': 'y'.repeat(9_000), 'x-short': 'kept' });
    expect(JSON.stringify(event.headers).length).toBeLessThanOrEqual(8 * 1024);
    expect(event.headers).toContainEqual(['x-short', 'kept']);
    expect(event.headers.map(([name]: [string]) => name)).not.toContain('x-long');
    expect(event.headers_truncated).toBe(true);
    expect(row?.headers).toEqual(event.headers);
  });

  test('a content type of kilobytes is cut', async () => {
    const { row } = await rejected('{}', { 'content-type': `text/plain; a=${'b'.repeat(9_000)}` });
    expect(row?.content_type).toHaveLength(255);
  });
});

test('an accepted webhook is kept completely', async () => {
  const account = await gateway.admin.createAccount({});
  const body = randomBytes(2 ** 20);
  const { body: answer } = await gateway.send(account, new Uint8Array(body), { 'x-long': 'y'.repeat(9_000) });
  const event = await gateway.admin.event(answer.id);
  expect(event).toMatchObject({
    ...{ payload_bytes: 2 ** 20, payload_sha256: hash('sha256', body), payload_truncated: false },
    headers_truncated: false,
  });
  expect(event.headers).toContainEqual(['x-long', 'y'.repeat(9_000)]);
});

test('REJECTED_BODY_BYTES of 0 keeps no byte of the body', async () => {
  const other = await forTest(startGateway({ worker: false, rejected: { bodyBytes: 0 } }));
  const account = await other.admin.createAccount({ skip_signature_verification: false });
  const path = `/${account.provider}/${account.account_slug}`;
  expect((await rawRequest(other.baseUrl, { path, body: '{"id":"i","type":"t"}' })).status).toBe(401);
  const [row] = await eventsOf(other.database, account.id);
  expect(await other.admin.event(row?.id)).toMatchObject({
    ...{ payload: '', payload_bytes: 21, payload_truncated: true, external_id: 'i' },
  });
});
