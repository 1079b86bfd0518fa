import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { droppedHeaders } from '../../src/delivery/dropped-headers.ts';
import { type DeliveryHeadersInput, deliveryHeaders, type Header } from '../../src/delivery/headers.ts';
import { keptHeaders, proxyHeaders } from '../../src/delivery/proxy-headers.ts';
import { providers } from '../../src/providers/registry.ts';
import { storedHeaders } from '../../src/providers/stored-headers.ts';
import { MASKED } from '../../src/secrets/masked.ts';
import { messageOf, received } from '../support/providers/request.ts';
import { samples } from '../support/providers/samples.ts';

const event = {
  requestId: 'e1',
  consumer: 'default',
  provider: 'generic',
  accountSlug: 'acme',
  eventType: 'a',
  externalId: 'x',
  attempt: 1,
};
const own: Omit<DeliveryHeadersInput, 'providerHeaders'> = {
  contentType: 'application/json',
  event: { ...event, replay: false, test: true },
  webhook: { id: 'e1', timestampS: 1_700_000_000, signature: 'v1,abc' },
};
const ownNames = deliveryHeaders({ providerHeaders: [], ...own }).map(([name]) => name);

/** Those of the inbound headers that are forwarded. */
function forwarded(providerHeaders: readonly Header[], dropped?: DeliveryHeadersInput['dropped']): Header[] {
  const built = deliveryHeaders({ providerHeaders, ...own, ...(dropped ? { dropped } : {}) });
  return built.slice(0, built.length - ownNames.length);
}
const passes = (name: string, dropped?: DeliveryHeadersInput['dropped']) =>
  forwarded([[name, '1']], dropped).length > 0;

/** A header of each pattern: `x-envoy-*` as `x-envoy-a-thing`. */
const examples = proxyHeaders.map((name) => name.replace('*', 'a-thing'));

describe('headers that proxies set and the servers behind them trust', () => {
  test('are dropped, in any letter case and with `_` or another character for `-`', () => {
    const variants = (name: string) => [
      ...[name, name.toUpperCase(), name.replaceAll('-', '_'), name.toUpperCase().replaceAll('-', '_')],
      // In the environment of CGI programs lighttpd writes each character but letters and digits as `_`.
      ...[name.replaceAll('-', '.'), name.replace('-', '_')],
    ];
    expect(examples.flatMap(variants).filter((name) => passes(name))).toEqual([]);
  });

  test.each([
    ...['Forwarded', 'X-Forwarded-For', 'X_Forwarded_For', 'X-Forwarded-Client-Cert', 'X-Real-IP', 'Remote-User'],
    ...['REMOTE_USER', 'X-Remote-Group', 'X-Client-Cert', 'Client-Cert', 'SSL_CLIENT_VERIFY', 'Via', 'CDN-Loop'],
    ...['X-Http-Method-Override', 'X-Rewrite-URL', 'X-Original-Host', 'CF-Connecting-IP', 'True-Client-IP', '$WSRU'],
    ...['X-Amzn-Oidc-Data', 'X-Goog-IAP-JWT-Assertion', 'X-MS-Client-Principal', 'X-Auth-Request-Email', 'Proxy'],
    ...['X-Middleware-Subrequest', 'SCRIPT_NAME', 'X-Sendfile-Type', 'Tailscale-User-Login', 'X-WEBAUTH-USER'],
  ])('%s is dropped', (name) => expect(passes(name)).toBe(false));

  test.each([
    ...['X-Original-Url', 'x_original_url', 'User-Agent', 'X-Request-Id', 'traceparent', 'Idempotency-Key', 'X-Tag'],
    // These match a wildcard of the table, but webhooks use them.
    ...['Cf-Webhook-Auth', 'Tailscale-Webhook-Signature', 'X-Vercel-Signature', 'X-Goog-Channel-ID', 'x-amz-sns-topic'],
    ...['X-Envoy-Signature', 'Sm-Signature', 'Sm-Apikey'],
    ...['X-Goog-Resource-State', 'X-Authorization-Digest', 'X-Forward', 'X-Via', 'Remotely', 'X-User-Id'],
    ...['Stripe-Signature', 'X-GitHub-Event', 'X-Hub-Signature-256', 'X-Shopify-Topic', 'X-Slack-Request-Timestamp'],
    ...['X-Twilio-Signature', 'I-Twilio-Idempotency-Token', 'X-Gitlab-Event', 'Paypal-Transmission-Sig'],
    ...['X-Square-HmacSha256-Signature', 'Linear-Signature', 'X-HubSpot-Signature-v3', 'Intuit-Signature'],
    ...['X-Event-Key', 'X-Hook-UUID', 'Sentry-Hook-Resource', 'X-PagerDuty-Signature', 'X-WC-Webhook-Topic'],
    ...['X-Line-Signature', 'X-Telegram-Bot-Api-Secret-Token', 'X-Signature-Ed25519', 'aeg-event-type', 'ce-type'],
    ...['X-Zm-Signature', 'X-Dropbox-Signature', 'X-DocuSign-Signature-1', 'X-Atlassian-Webhook-Identifier'],
  ])('%s is forwarded', (name) => expect(forwarded([[name, '1']])).toEqual([[name, '1']]));

  test.each(samples.map((sample) => [sample.provider, sample] as const))(
    "%s: all of the provider's own headers are forwarded",
    async (_name, sample) => {
      const provider = providers.get(sample.provider);
      if (!provider) throw new Error(`${sample.provider} is not registered`);
      const { body, contentType, headers = [] } = sample.event('evt_1');
      const key = sample.newKey();
      const signed = await key.sign(messageOf(sample, { body, ...(contentType ? { contentType } : {}) }));
      const sent = [...signed.headers, ...headers];
      const request = received(sample, { ...signed, headers: sent }, contentType);
      const stored = storedHeaders(provider, request, { current: key.secret, previous: null });
      const expected = sent
        .map(([name]) => name)
        // The gateway's own headers replace those of Standard Webhooks; secrets are not forwarded.
        .filter((name) => !ownNames.includes(name.toLowerCase()) && name.toLowerCase() !== 'authorization')
        .filter((name) => !stored.some(([other, value]) => other === name && value.includes(MASKED)));
      const names = forwarded(stored).map(([name]) => name);
      expect(names).toEqual(expected);
    },
  );
});

describe("the gateway's own headers", () => {
  test('cannot be spoofed with another character in place of `-`', () => {
    for (const name of ownNames)
      for (const sign of ['-', '_', '.', '~', '!'])
        for (const spelled of [name.replaceAll('-', sign), name.replace('-', sign).toUpperCase()])
          expect([spelled, passes(spelled)]).toEqual([spelled, false]);
  });
});

describe('DROPPED_HEADERS', () => {
  const dropped = droppedHeaders(['X-User', 'x-internal-*', 'X-Original-Url', 'Trace*']);
  test.each(['x-user', 'X_USER', 'X-Internal-', 'X-Internal-Role', 'X_INTERNAL_ROLE', 'x-original-url', 'traceparent'])(
    'drops %s too',
    (name) => expect(passes(name, dropped)).toBe(false),
  );
  test.each(['x-user-id', 'x-internal', 'x-internals', 'x-trace', 'Stripe-Signature'])('leaves %s alone', (name) =>
    expect(passes(name, dropped)).toBe(true),
  );
  test('adds to the built-in list and drops none of the gateway’s own headers', () => {
    const all = droppedHeaders(['*']);
    expect(passes('X-Forwarded-For', dropped)).toBe(false);
    expect(forwarded([['x-a', '1']], all)).toEqual([]);
    expect(deliveryHeaders({ providerHeaders: [], ...own, dropped: all }).map(([name]) => name)).toEqual(ownNames);
  });
});

test('docs/dropped-headers.md lists each header, who believes it, and where that is documented', () => {
  const page = readFileSync('docs/dropped-headers.md', 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.filter((row) => /^\| `[^|]+` \| [^|]{4,} \| \[source\]\(https:\/\/[^)]+\) \|$/.test(row));
  const kept = rows.filter((row) => /^\| `[^|`]+` \| [^|]{4,} \|$/.test(row));
  const namesIn = (row: string) => row.slice(0, row.indexOf(' | ')).matchAll(/`([^`]+)`/g);
  const names = (some: string[]) => some.flatMap((row) => [...namesIn(row)].map(([, name]) => name));
  expect(names(documented)).toEqual(proxyHeaders);
  expect(names(kept)).toEqual(keptHeaders);
  expect(rows).toHaveLength(documented.length + kept.length);
});
