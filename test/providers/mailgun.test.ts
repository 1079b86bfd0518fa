import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { mailgun } from '../../src/providers/mailgun.ts';
import { readProviderConfig } from '../../src/providers/registry.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { signatureWith } from '../support/providers/mailgun.ts';
import { receivedAt, requestOf } from './request.ts';

const key = 'key-of-the-account';
const token = 'e0b5477167110d68991efc6b9f89f0a11066af27834600e123';
const config = { tolerance_seconds: 300 };
const ok = { ok: true };
const refused = (reason: string) => expect.objectContaining({ ok: false, reason });
const signature = signatureWith(key, receivedAt, token);

type Sent = { body: string | Uint8Array; contentType?: string };
const requestWith = ({ body, contentType = 'application/json' }: Sent, at = receivedAt) =>
  requestOf({ headers: [['Content-Type', contentType]], body, at });
const verdict = (
  sent: Sent,
  { secret = key, previous = null as string | null, given = config as object, at = receivedAt } = {},
) =>
  verifyInbound(
    mailgun,
    { skip: false, current: secret, previous, config: readProviderConfig('mailgun', given) },
    requestWith(sent, at),
  );
const keyOf = (sent: Sent) => {
  const request = requestWith(sent);
  const dedupKey = mailgun.dedupKey(request, mailgun.externalId(request, config), config);
  return dedupKey && Buffer.from(dedupKey).toString('hex');
};

const json = (signed: unknown, data: unknown = { event: 'delivered', id: 'ev1' }): Sent => ({
  body: JSON.stringify({ signature: signed, 'event-data': data }),
});
const form = (fields: Record<string, string>): Sent => ({
  body: new URLSearchParams(fields).toString(),
  contentType: 'application/x-www-form-urlencoded',
});
/** A multipart body, written by Node's `FormData`. */
async function multipart(fields: Record<string, string>, file?: Uint8Array<ArrayBuffer>): Promise<Sent> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  if (file) data.append('attachment-1', new File([file], 'zoë.pdf', { type: 'application/pdf' }));
  const written = new Response(data);
  return {
    body: new Uint8Array(await written.arrayBuffer()),
    contentType: written.headers.get('content-type') ?? '',
  };
}

/**
 * The verification from Mailgun's documentation. Mailgun's library for Node has none.
 * https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
function documented(signingKey: string, sent: { timestamp: string; token: string; signature: string }): boolean {
  const expected = createHmac('sha256', signingKey).update(sent.timestamp.concat(sent.token)).digest();
  return timingSafeEqual(expected, Buffer.from(sent.signature, 'hex'));
}

describe('signature', () => {
  test('in JSON verifies with either key of a rotation', () => {
    expect(documented(key, signature)).toBe(true);
    expect(verdict(json(signature))).toEqual(ok);
    expect(verdict(json(signature), { secret: 'new', previous: key })).toEqual(ok);
    expect(documented('new', signature)).toBe(false);
    expect(verdict(json(signature), { secret: 'new' })).toEqual(refused('bad_signature'));
    // Some webhooks have the time as a number.
    expect(verdict(json({ ...signature, timestamp: Number(signature.timestamp) }))).toEqual(ok);
    expect(verdict(json({ ...signature, signature: signature.signature.toUpperCase() }))).toEqual(ok);
  });

  test('of the parent account verifies for subaccounts', () => {
    const own = signatureWith('key-of-the-subaccount', receivedAt, token);
    const both = { ...own, 'parent-signature': signature.signature };
    expect(verdict(json(both))).toEqual(ok);
    expect(verdict(json(both), { secret: 'key-of-the-subaccount' })).toEqual(ok);
    expect(verdict(json(both), { secret: 'another' })).toEqual(refused('bad_signature'));
  });

  test.each([
    ['the time', { timestamp: String(Number(signature.timestamp) + 1) }],
    ['the token', { token: token.replace('e', 'f') }],
    ['the signature', { signature: '0'.repeat(64) }],
  ])('is refused if %s is changed', (_, change) => {
    const changed = { ...signature, ...change };
    expect(documented(key, changed)).toBe(false);
    expect(verdict(json(changed))).toEqual(refused('bad_signature'));
  });

  test('does not cover the rest of the body', () =>
    expect(verdict(json(signature, { event: 'complained', id: 'another' }))).toEqual(ok));

  test.each<[string, unknown, string]>([
    ['none', undefined, 'missing_signature'],
    ['a text', 'x', 'missing_signature'],
    ['no signature in the object', { ...signature, signature: undefined }, 'missing_signature'],
    ['an empty signature', { ...signature, signature: '' }, 'missing_signature'],
    ['too short', { ...signature, signature: signature.signature.slice(2) }, 'malformed_signature'],
    ['a signature that is not hexadecimal', { ...signature, signature: 'x'.repeat(64) }, 'malformed_signature'],
    ['no token', { ...signature, token: '' }, 'malformed_signature'],
    ['a number as token', { ...signature, token: 1e300 }, 'malformed_signature'],
    ['a number as signature', { ...signature, signature: 1e300 }, 'missing_signature'],
    ['a list as token', { ...signature, token: [token] }, 'malformed_signature'],
  ])('%s', (_, signed, reason) => expect(verdict(json(signed))).toEqual(refused(reason)));

  test.each(['', '[]', 'null', '{"signature":', '{"__proto__":{"signature":{}}}'])(
    'is missing in the body %s',
    (body) => expect(verdict({ body })).toEqual(refused('missing_signature')),
  );

  test.each([
    ['', 'missing_timestamp'],
    ['soon', 'malformed_timestamp'],
    ['1772366400.5', 'malformed_timestamp'],
    [' 1772366400', 'malformed_timestamp'],
    ['1'.repeat(300), 'malformed_timestamp'],
    ['0', 'stale_timestamp'],
  ])('a signed time that is invalid: %j', (timestamp, reason) => {
    const signed = createHmac('sha256', key).update(timestamp).update(token).digest('hex');
    expect(verdict(json({ timestamp, token, signature: signed }))).toEqual(refused(reason));
  });

  test.each([1e300, 1772366400.5, 2 ** 53])('a number that is not a valid time: %s', (timestamp) => {
    const signed = createHmac('sha256', key).update(token).digest('hex');
    expect(verdict(json({ timestamp, token, signature: signed }))).toEqual(refused('missing_timestamp'));
  });

  test('digits moved from the token to the time keep the signature valid, but make the time stale', () => {
    const digits = signatureWith(key, receivedAt, `7${token}`);
    expect(verdict(json(digits))).toEqual(ok);
    const moved = { ...digits, timestamp: `${digits.timestamp}7`, token };
    expect(documented(key, moved)).toBe(true);
    expect(verdict(json(moved))).toEqual(refused('stale_timestamp'));
  });

  test('resends within eight hours have the first signature, and need the tolerance that the page names', () => {
    const hoursLater = (hours: number, given: object = { tolerance_seconds: 9 * 3600 }) =>
      verdict(json(signature), { given, at: new Date(receivedAt.getTime() + hours * 3_600_000) });
    expect(hoursLater(8.25)).toEqual(ok);
    expect(hoursLater(8.25, {})).toEqual(refused('stale_timestamp'));
    expect(hoursLater(9.01)).toEqual(refused('stale_timestamp'));
    expect(hoursLater(-9.01)).toEqual(refused('stale_timestamp'));
  });
});

describe('mail that a route forwards', () => {
  const mail = {
    recipient: 'in@example.com',
    sender: 'zoë@example.com',
    'Message-Id': '<m1@example.com>',
    ...signature,
  };
  const read = (sent: Sent) => {
    const request = requestWith(sent);
    return [mailgun.eventType(request, config), mailgun.externalId(request, config).id];
  };

  test('is read from a form', () => {
    expect(verdict(form(mail))).toEqual(ok);
    expect(verdict(form({ ...mail, token: `${token}0` }))).toEqual(refused('bad_signature'));
    expect(verdict(form({ recipient: 'a' }))).toEqual(refused('missing_signature'));
    expect(read(form(mail))).toEqual(['inbound', '<m1@example.com>']);
    expect(read(form({ ...signature, event: 'opened' }))).toEqual(['opened', token]);
    expect(read(form({}))).toEqual([null, expect.stringMatching(/^gen-/)]);
  });

  test('is read from a multipart form with files', async () => {
    const file = new Uint8Array(200_000).map((_, at) => at % 251);
    const sent = await multipart({ ...mail, 'body-plain': 'Zoë 💶\r\n--\r\n'.repeat(1000) }, file);
    expect(verdict(sent)).toEqual(ok);
    expect(verdict(sent, { secret: 'another' })).toEqual(refused('bad_signature'));
    expect(read(sent)).toEqual(['inbound', '<m1@example.com>']);
    expect(verdict(await multipart({ ...mail, signature: '0'.repeat(64) }, file))).toEqual(refused('bad_signature'));
  });

  test('a file is not a field, and the first of several equal names counts', async () => {
    const data = new FormData();
    data.append('token', new File(['another'], 'token.txt', { type: 'text/plain' }));
    for (const [name, value] of Object.entries(signature)) data.append(name, value);
    data.append('token', 'another');
    const written = new Response(data);
    const sent = {
      body: new Uint8Array(await written.arrayBuffer()),
      contentType: written.headers.get('content-type') ?? '',
    };
    expect(verdict(sent)).toEqual(ok);
    expect(keyOf(sent)).toBe(createHash('sha256').update(token).digest('hex'));
  });

  test('a form that breaks off or has another boundary is refused', async () => {
    const { body, contentType = '' } = await multipart(mail);
    const bytes = Buffer.from(body);
    const [, own = ''] = contentType.split('boundary=');
    const withBoundary = (boundary: string): Sent => ({
      body: Buffer.from(bytes.toString('latin1').replaceAll(own, boundary), 'latin1'),
      contentType: `multipart/form-data; boundary=${boundary}`,
    });
    expect(verdict(withBoundary('x'.repeat(70)))).toEqual(ok);
    expect(verdict(withBoundary('x'.repeat(71)))).toEqual(refused('missing_signature'));
    for (const sent of [
      { body: bytes.subarray(0, -8), contentType },
      { body: bytes, contentType: 'multipart/form-data' },
      { body: bytes, contentType: 'multipart/form-data; boundary=other' },
      { body: new Uint8Array(), contentType },
    ])
      expect(verdict(sent)).toEqual(refused('missing_signature'));
  });
});

test.each<[string, unknown, string | null, string]>([
  ['delivered', { event: 'delivered', id: 'ev1' }, 'delivered', 'ev1'],
  ['a bounce', { event: 'failed', severity: 'permanent', id: 'ev1' }, 'permanent_fail', 'ev1'],
  ['a delay', { event: 'failed', severity: 'temporary', id: 'ev1' }, 'temporary_fail', 'ev1'],
  ['another failure', { event: 'failed', severity: 'constructor', id: 'ev1' }, 'failed', 'ev1'],
  ['no id', { event: 'opened' }, 'opened', token],
  ['no data', null, null, token],
])('%s', (_, data, type, id) => {
  const request = requestWith(json(signature, data));
  expect(mailgun.eventType(request, config)).toBe(type);
  expect(mailgun.externalId(request, config)).toEqual({ id, own: true });
});

test('a resend and a copy with other content are recognised by the token', () => {
  const first = keyOf(json(signature));
  expect(keyOf(json(signature, { event: 'complained', id: 'ev2' }))).toBe(first);
  expect(keyOf(form({ ...signature, recipient: 'in@example.com' }))).toBe(first);
  expect(keyOf(json(signatureWith(key, receivedAt, `${token}0`)))).not.toBe(first);
  expect(keyOf(json(undefined))).toBe(null);
});
