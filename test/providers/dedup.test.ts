import fc from 'fast-check';
import { expect, test } from 'vitest';
import { providers } from '../../src/providers/registry.ts';
import { requestOf } from './request.ts';

const key = (name: string, body: string | Uint8Array) => {
  const provider = providers.get(name);
  const request = requestOf({ body });
  return provider?.dedupKey(request, provider.externalId(request, {}), {}) ?? null;
};

test('only the same id and the same bytes make a duplicate', () => {
  expect(key('generic', '{"id":"a","n":1}')).toHaveLength(32);
  expect(key('generic', '{"id":"a","n":1}')).toEqual(key('generic', '{"id":"a","n":1}'));
  expect(key('generic', '{"id":"a","n":1}')).not.toEqual(key('generic', '{"id":"a","n":2}'));
  expect(key('generic', '{"id":"a","n":1}')).not.toEqual(key('generic', '{"id":"a", "n":1}'));
  const chat = '{"data":{"session_id":"s","fingerprint":1}}';
  expect(key('support_chat', chat)).toEqual(key('support_chat', chat));
});

test('generated ids are never duplicates', () => {
  for (const body of ['', '[]', 'a=1', '{}']) {
    expect(key('generic', body)).toBe(null);
    expect(key('support_chat', body)).toBe(null);
  }
});

test('id and body are separated in the key', () => {
  const part = fc.string({ unit: fc.constantFrom('1', ':', 'é'), maxLength: 4 });
  const keyOf = (id: string, body: string) =>
    Buffer.from(providers.get('generic')?.dedupKey(requestOf({ body }), { id, own: true }, {}) ?? []).toString('hex');
  fc.assert(
    fc.property(part, part, part, part, (id, body, otherId, otherBody) => {
      expect(keyOf(id, body) === keyOf(otherId, otherBody)).toBe(id === otherId && body === otherBody);
    }),
  );
});
