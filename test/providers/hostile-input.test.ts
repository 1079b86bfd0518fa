import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Header, InboundRequest } from '../../src/providers/inbound-request.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { providers } from '../../src/providers/registry.ts';
import { samples } from '../support/providers/samples.ts';
import { requestOf } from './request.ts';

const oneMiB = 2 ** 20;
const form = 'application/x-www-form-urlencoded';

/** Calls all functions of a provider for a request. Throws if a result cannot be stored. */
function callAll(provider: Provider, request: InboundRequest): void {
  const given = samples.find((sample) => sample.provider === provider.name)?.config ?? {};
  const config = provider.config.safeParse(given).data ?? {};
  provider.verify(request, { secret: 'secret', config });
  const type = provider.eventType(request, config);
  const externalId = provider.externalId(request, config);
  const key = provider.dedupKey(request, externalId, config);
  provider.challenge?.(request);
  provider.unsignedCheck?.(request);
  provider.handshake?.(request, config);
  for (const text of [externalId.id, type ?? 'none']) {
    expect(Array.from(text).length).toBeLessThanOrEqual(255);
    expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
  }
  expect(externalId.id).not.toBe('');
  expect(key === null || key.length === 32).toBe(true);
  if (!externalId.own) expect(key).toBe(null);
}

/** Counts the calls of JSON.parse with a reviver, which are slow. */
function countSlowParses(): () => number {
  const parse = vi.spyOn(JSON, 'parse');
  return () => parse.mock.calls.filter(([, reviver]) => reviver !== undefined).length;
}
afterEach(() => vi.restoreAllMocks());

/** Numbers that lose digits in all fields in which providers look for ids, in objects of `bytes` in total. */
const lossyIds = (bytes: number) => {
  const names = ['id', 'timestamp', 'token', 'signature', 'parent-signature', 'event_id', 'eventId', 'session_id'];
  const ids = Object.fromEntries([...names, 'fingerprint', 'message_uuid', 'uuid'].map((name) => [name, 1e300]));
  const { signature: _, ...rest } = ids;
  const text = JSON.stringify({ ...rest, data: ids, signature: ids, event: ids, 'event-data': ids, a: [] });
  const objects = Array(Math.floor((bytes - text.length) / 3)).fill('{}');
  return text.replace('"a":[]', `"a":[${objects}]`);
};

/** Names that providers read, and names that every object inherits. */
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
  test('handles any input', () => {
    fc.assert(
      fc.property(fc.array(header, { maxLength: 8 }), body, (headers, bytes) =>
        callAll(provider, requestOf({ headers, body: bytes })),
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
    ['deep lists without an end', '['.repeat(oneMiB)],
    ['a deep list in each field', `{"id":${deep('[', ']')},"type":${deep('[', ']')}}`],
    ['many fields', `{${Array.from({ length: 50_000 }, (_, n) => `"f${n}":1`).join(',')},"id":"x"}`],
    [
      'many changes',
      `{"object":"page","entry":[${Array.from({ length: 50_000 }, () => '{"changes":[{"field":"feed"}]}')}]}`,
    ],
    ['numbers that lose digits', lossyIds(oneMiB)],
    ['a form of separators only', '&'.repeat(oneMiB)],
    ['a form of percent signs only', `payload=${'%'.repeat(oneMiB)}`],
  ])('handles %s', { timeout: 30_000 }, (_name, bytes) => {
    const slowParses = countSlowParses();
    for (const contentType of ['application/json', form]) {
      const headers = headerNames.map((name): Header => [name, `sha256=${','.repeat(500)}`]);
      callAll(provider, requestOf({ headers: [['content-type', contentType], ...headers], body: bytes }));
    }
    expect(slowParses()).toBe(0);
  });

  test('reads the digits of numbers once, for any number of fields', () => {
    const slowParses = countSlowParses();
    const request = requestOf({ body: lossyIds(oneMiB / 32) });
    for (let asked = 0; asked < 4; asked++) callAll(provider, request);
    expect(slowParses()).toBeLessThanOrEqual(1);
  });
});
