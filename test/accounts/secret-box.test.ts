import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSecretBox } from '../../src/accounts/secret-box.ts';

const key = randomBytes(32);
const box = createSecretBox(key);
const place = { accountId: '01900000-0000-7000-8000-000000000000', field: 'delivery_secret' };

test('what was sealed opens, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
      expect(box.open(box.seal(secret, place), place)).toBe(secret);
      expect(createSecretBox(key).open(box.seal(secret, place), place)).toBe(secret);
    }),
  );
});

test('two boxes of one secret differ and do not show it', () => {
  const boxes = Array.from({ length: 100 }, () => Buffer.from(box.seal('a secret', place)));
  expect(new Set(boxes.map((bytes) => bytes.toString('hex'))).size).toBe(100);
  for (const bytes of boxes) expect(bytes.includes('a secret')).toBe(false);
});

test('a change of any bit is noticed', () => {
  const sealed = box.seal('a secret', place);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Uint8Array.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect([bit, box.open(changed, place)]).toEqual([bit, null]);
  }
});

test('a part of a box, or more than it, does not open', () => {
  const sealed = box.seal('a secret', place);
  for (let length = 0; length < sealed.length; length++) expect(box.open(sealed.subarray(0, length), place)).toBeNull();
  expect(box.open(Buffer.concat([sealed, Buffer.of(0)]), place)).toBeNull();
});

test('another key does not open it', () => {
  expect(createSecretBox(randomBytes(32)).open(box.seal('a secret', place), place)).toBeNull();
});

test.each([
  ['another account', { ...place, accountId: '01900000-0000-7000-8000-000000000001' }],
  ['another field', { ...place, field: 'project_delivery_secret' }],
])('%s does not open it', (_name, other) => {
  expect(box.open(box.seal('a secret', place), other)).toBeNull();
});
