import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { providers } from '../../src/providers/registry.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { samples } from '../support/providers/samples.ts';
import { requestOf } from './request.ts';

const oneMiB = 2 ** 20;
const form = 'application/x-www-form-urlencoded';

afterEach(() => vi.restoreAllMocks());

/** Returns a function that gives the lengths of all texts parsed as JSON so far. */
function parsedTexts(): () => number[] {
  const parse = vi.spyOn(JSON, 'parse');
  return () => parse.mock.calls.map(([text]) => text.length);
}

const hex = (bytes: number) => 'ab'.repeat(bytes);
const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');
/** Signatures of the right form, made without a key. */
const forged: Header[] = [
  ['x-hub-signature-256', `sha256=${hex(32)}`],
  ['x-hub-signature', `sha1=${hex(20)}`],
  ['x-shopify-hmac-sha256', base64(32)],
  ['x-twilio-signature', base64(20)],
  ['x-twilio-email-event-webhook-signature', base64(70)],
  ['x-twilio-email-event-webhook-timestamp', '1767268800'],
  ['webhook-id', 'a'],
  ['webhook-timestamp', '1767268800'],
  ['webhook-signature', `v1,${base64(32)}`],
  ['stripe-signature', `t=1767268800,v1=${hex(32)}`],
  ['x-signature', hex(32)],
  ['x-original-url', '/?key=x'],
];

const deep = `${'['.repeat(oneMiB / 2)}${']'.repeat(oneMiB / 2)}`;
const keys = `{${Array.from({ length: 60_000 }, (_, n) => `"key-${n}":1`)}}`;
const items = `{"notificationItems":[${Array(8_000).fill('{"NotificationRequestItem":{"additionalData":{"hmacSignature":"AAAA"}}}')}]}`;

describe.each([...providers])('%s', (name, provider) => {
  const sample = samples.find((one) => one.provider === name);
  const config = provider.config.parse(sample?.config ?? {});
  const settings = { skip: false, current: sample?.newKey().secret ?? '', previous: null, config };

  test.each([
    ['deep lists', deep],
    ['deep lists in a form', `payload=${deep}`],
    ['many keys', keys],
    ['many items', items],
    [
      'an event with a deep list',
      `{"event-data":{},"signature":{"token":"t","timestamp":"1","signature":"${hex(32)}"},"a":${deep}}`,
    ],
  ])('parses none of a megabyte of %s before it is verified', { timeout: 30_000 }, (_name, body) => {
    const parsed = parsedTexts();
    for (const contentType of ['application/json', form])
      for (const headers of [[], forged]) {
        const request = requestOf({ headers: [['content-type', contentType], ...headers], body });
        expect(verifyInbound(provider, settings, request).ok).toBe(false);
        provider.unsignedCheck?.(request);
      }
    // The header and the claims of a JWT are JSON.
    expect(parsed().filter((length) => length > 1_000)).toEqual([]);
  });

  test('has no type and a generated id, or those of the headers, for a body of more than 500 levels', () => {
    const inside = `${'['.repeat(500)}${']'.repeat(500)}`;
    const request = requestOf({ body: `{"id":"x","type":"t","event":"e","topic":"p","object":"o","a":${inside}}` });
    expect(provider.eventType(request, config)).toBe(null);
    expect(provider.externalId(request, config)).toMatchObject({ own: false });
  });
});

test('a body of few values is parsed before it is verified, with texts of any length', () => {
  // The number of values makes parsing slow, not their length, so only the number is limited.
  const body = `{"text":"${'é,[{'.repeat(oneMiB / 8)}"}`;
  expect(requestOf({ body }).unverifiedJson()).toEqual(JSON.parse(body));
});
