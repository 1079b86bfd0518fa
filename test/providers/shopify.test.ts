import '@shopify/shopify-api/adapters/node';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../src/providers/inbound-request.ts';
import { shopify } from '../../src/providers/shopify.ts';
import { verifyInbound } from '../../src/providers/verification.ts';
import { messageOf, settingsOf } from '../support/providers/request.ts';
import { shopify as sample } from '../support/providers/shopify.ts';
import { requestOf } from './request.ts';

const verdict = (headers: Header[], body: string, current: string, previous: string | null = null) =>
  verifyInbound(shopify, settingsOf(sample, current, previous), requestOf({ headers, body }));

/** Whether Shopify's library verifies the webhook. */
async function validated(headers: Header[], rawBody: string, apiSecretKey: string): Promise<boolean> {
  const { webhooks } = shopifyApi({
    apiKey: 'key',
    apiSecretKey,
    apiVersion: ApiVersion.October25,
    hostName: 'gateway.example',
    isEmbeddedApp: false,
    logger: { level: LogSeverity.Error },
  });
  const rawRequest = new IncomingMessage(new Socket());
  rawRequest.method = 'POST';
  rawRequest.url = '/shopify/shop';
  for (const [name, value] of headers) rawRequest.headers[name.toLowerCase()] = value;
  const { valid } = await webhooks.validate({ rawBody, rawRequest, rawResponse: new ServerResponse(rawRequest) });
  return valid;
}

const event = sample.event('b54557e4-bdd9-4b37-8a5f-bf7d70bcd043');

describe('signature', () => {
  test.each([
    ['JSON', event.body],
    ['JSON beyond ASCII', '{"name":"Zoë 💶"}'],
    ['XML', '<?xml version="1.0"?><order><name>Zoë</name></order>'],
  ])("agrees with Shopify's library about %s", async (_, body) => {
    const key = sample.newKey();
    const signed = await key.sign(messageOf(sample, { body }));
    const headers = [...signed.headers, ...(event.headers ?? [])];
    const seen = new Set<boolean>();
    for (const sent of [body, `${body} `])
      for (const secret of [key.secret, sample.newKey().secret]) {
        const { ok } = verdict(headers, sent, secret);
        expect(ok).toBe(await validated(headers, sent, secret));
        seen.add(ok);
      }
    expect(seen.size).toBe(2);
    expect(verdict(headers, body, sample.newKey().secret, key.secret)).toEqual({ ok: true });
  });

  // printf '{"id":1}' | openssl dgst -sha256 -hmac hush -binary | base64
  const known = 'VnKUjZsLuN5iZWjn5EntcBVCF9kMN43LglzCE1/GSeY=';

  test.each<[string, Header[], string | null]>([
    ['a signature computed by OpenSSL', [['X-Shopify-Hmac-Sha256', known]], null],
    ['another case', [['x-shopify-hmac-SHA256', known]], null],
    ['the header of Events', [['shopify-hmac-sha256', known]], null],
    [
      'the second of two headers',
      [
        ['X-Shopify-Hmac-Sha256', `${'A'.repeat(43)}=`],
        ['X-Shopify-Hmac-Sha256', known],
      ],
      null,
    ],
    ['none', [['X-Shopify-Topic', 'orders/create']], 'missing_signature'],
    ['an empty signature', [['X-Shopify-Hmac-Sha256', '']], 'missing_signature'],
    ['without its padding', [['X-Shopify-Hmac-Sha256', known.slice(0, -1)]], 'malformed_signature'],
    [
      'in hexadecimal',
      [['X-Shopify-Hmac-Sha256', Buffer.from(known, 'base64').toString('hex')]],
      'malformed_signature',
    ],
    ['too short', [['X-Shopify-Hmac-Sha256', 'AAAA']], 'malformed_signature'],
    ['beyond ASCII', [['X-Shopify-Hmac-Sha256', 'é'.repeat(44)]], 'malformed_signature'],
    ['a wrong signature', [['X-Shopify-Hmac-Sha256', `${'A'.repeat(43)}=`]], 'bad_signature'],
  ])('%s', (_, headers, reason) =>
    expect(verdict(headers, '{"id":1}', 'hush')).toEqual(reason ? { ok: false, reason } : { ok: true }),
  );
});

describe('type and id', () => {
  const read = (headers: Header[], body = '{"id":1}') => {
    const request = requestOf({ headers, body });
    const externalId = shopify.externalId(request, {});
    return { type: shopify.eventType(request, {}), externalId, key: shopify.dedupKey(request, externalId, {}) };
  };
  const generated = { id: expect.stringMatching(/^gen-/), own: false };

  test.each<[Header[], string | null]>([
    [[['X-Shopify-Topic', 'orders/create']], 'orders/create'],
    [[['x-shopify-topic', 'app/uninstalled']], 'app/uninstalled'],
    [
      [
        ['Shopify-Topic', 'Product'],
        ['Shopify-Action', 'update'],
      ],
      'Product/update',
    ],
    [[['X-Shopify-Topic', 't'.repeat(300)]], 't'.repeat(255)],
    [[['X-Shopify-Topic', '']], null],
    [[], null],
  ])('the type of %j is %s', (headers, type) => expect(read(headers).type).toBe(type));

  test.each(['X-Shopify-Webhook-Id', 'shopify-webhook-id'])('%s names the delivery', (name) => {
    const first = read([[name, 'b54557e4']]);
    expect(first.externalId).toEqual({ id: 'b54557e4', own: true });
    expect(first.key).toHaveLength(32);
    expect(read([[name, 'b54557e4']], '{"id":1} ').key).toEqual(first.key);
    expect(read([[name, 'b54557e5']]).key).not.toEqual(first.key);
  });

  test('topics that share an event id are not duplicates', () => {
    const of = (topic: string, webhookId: string) =>
      read([
        ['X-Shopify-Topic', topic],
        ['X-Shopify-Webhook-Id', webhookId],
        ['X-Shopify-Event-Id', '98880550'],
      ]);
    expect(of('orders/create', 'a').key).not.toEqual(of('orders/paid', 'b').key);
  });

  test('without an id header nothing is a duplicate, even with an id in the body', () => {
    expect(read([['X-Shopify-Event-Id', '98880550']])).toMatchObject({ externalId: generated, key: null });
    expect(read([['X-Shopify-Webhook-Id', '']])).toMatchObject({ externalId: generated, key: null });
  });
});
