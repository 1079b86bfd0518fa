import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Header, InboundRequest } from '../../src/providers/inbound-request.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { providers } from '../../src/providers/registry.ts';
import { samples } from '../support/providers/samples.ts';
import { requestOf } from './request.ts';

const oneMiB = 2 ** 20;
const form = 'application/x-www-form-urlencoded';

/** Everything that a provider is asked about a request; throws where what it says could not be stored. */
function askAll(provider: Provider, request: InboundRequest): void {
  const given = samples.find((sample) => sample.provider === provider.name)?.config;
  const config = provider.config.safeParse(given).data ?? {};
  provider.verify(request, { secret: 'secret', config });
  const type = provider.eventType(request, config);
  const externalId = provider.externalId(request, config);
  const key = provider.dedupKey(request, externalId, config);
  provider.challenge?.(request);
  provider.handshake?.(request, config);
  for (const text of [externalId.id, type ?? 'none']) {
    expect(Array.from(text).length).toBeLessThanOrEqual(255);
    expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
  }
  expect(externalId.id).not.toBe('');
  expect(key === null || key.length === 32).toBe(true);
  if (!externalId.own) expect(key).toBe(null);
}

/** Names that some provider reads, and some that every object inherits. */
const fieldNames = [
  ...[
    'id',
    'type',
    'topic',
    'action',
    'payload',
    'object',
    'entry',
    'changes',
    'field',
    'value',
    'messaging',
    'message',
  ],
  ...['messages', 'statuses', 'mid', 'standby', 'changed_fields', 'event', 'event_id', 'challenge', 'trigger_id'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'],
];
const headerNames = samples.flatMap((sample) => [
  ...(typeof sample.signature === 'string' ? [] : [sample.signature.header]),
  ...(sample.event('x').headers ?? []).map(([name]) => name),
]);

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('nul\0', 'half a pair \ud800', 'x'.repeat(300), '💶'.repeat(300)),
  fc.constantFrom('url_verification', 'event_callback', '{"id":"x"}', ''),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...fieldNames), tie('json'), { maxKeys: 5 }),
  ),
}));
const payload = fc.record(Object.fromEntries(fieldNames.map((name) => [name, fc.oneof(text, json)])), {
  requiredKeys: [],
});
const jsonText = fc.oneof(payload, json).map((value) => JSON.stringify(value) ?? '');
const body = fc.oneof(
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  jsonText.map((value) => Buffer.from(value)),
  jsonText.map((value) => Buffer.from(`payload=${encodeURIComponent(value)}`)),
);
const latin1 = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const header = fc.tuple(
  fc.oneof(fc.constantFrom('content-type', 'x-slack-request-timestamp', ...headerNames), fc.string()),
  fc.oneof(latin1, fc.constantFrom(form, 'v0=', 'sha256=', 'sha1=', ','.repeat(9), 't=1,v1=')),
);

describe.each([...providers])('%s', (_, provider) => {
  test('answers whatever comes', () => {
    fc.assert(
      fc.property(fc.array(header, { maxLength: 8 }), body, (headers, bytes) =>
        askAll(provider, requestOf({ headers, body: bytes })),
      ),
      { numRuns: 300 },
    );
  });

  const deep = (open: string, close: string) => open.repeat(oneMiB / 16) + close.repeat(oneMiB / 16);
  test.each<[string, string | Uint8Array]>([
    ['1 MiB of noise', randomBytes(oneMiB)],
    ['1 MiB of one letter', 'a'.repeat(oneMiB)],
    ['deep lists', deep('[', ']')],
    ['deep objects', `${'{"entry":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['deep lists that do not end', '['.repeat(oneMiB)],
    ['a deep list in each field', `{"id":${deep('[', ']')},"type":${deep('[', ']')}}`],
    ['many fields', `{${Array.from({ length: 50_000 }, (_, n) => `"f${n}":1`).join(',')},"id":"x"}`],
    [
      'many changes',
      `{"object":"page","entry":[${Array.from({ length: 50_000 }, () => '{"changes":[{"field":"feed"}]}')}]}`,
    ],
    ['a form of separators', '&'.repeat(oneMiB)],
    ['a form of percent signs', `payload=${'%'.repeat(oneMiB)}`],
  ])('answers %s', (_name, bytes) => {
    for (const contentType of ['application/json', form]) {
      const headers = headerNames.map((name): Header => [name, `sha256=${','.repeat(500)}`]);
      askAll(provider, requestOf({ headers: [['content-type', contentType], ...headers], body: bytes }));
    }
  });
});
