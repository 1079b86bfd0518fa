import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyring } from '../../src/secrets/keyring.ts';
import { boxPrefix, createSecretBox, keyIdOf } from '../../src/secrets/secret-box.ts';
import { randomKeyring } from '../support/keyring.ts';

const keyring = randomKeyring();
const box = createSecretBox(keyring);
const place = { accountId: '01900000-0000-7000-8000-000000000000', field: 'delivery_secret' };

test('any text that was sealed opens unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
      expect(box.open(box.seal(secret, place), place)).toBe(secret);
      expect(createSecretBox(createKeyring(keyring.current.bytes)).open(box.seal(secret, place), place)).toBe(secret);
    }),
  );
});

test('two boxes of one secret differ and do not contain it', () => {
  const boxes = Array.from({ length: 100 }, () => Buffer.from(box.seal('a secret', place)));
  expect(new Set(boxes.map((bytes) => bytes.toString('hex'))).size).toBe(100);
  for (const bytes of boxes) expect(bytes.includes('a secret')).toBe(false);
});

test('a box with any bit changed does not open', () => {
  const sealed = box.seal('a secret', place);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Uint8Array.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect([bit, box.open(changed, place)]).toEqual([bit, null]);
  }
});

test('a truncated or extended box does not open', () => {
  const sealed = box.seal('a secret', place);
  for (let length = 0; length < sealed.length; length++) expect(box.open(sealed.subarray(0, length), place)).toBeNull();
  expect(box.open(Buffer.concat([sealed, Buffer.of(0)]), place)).toBeNull();
});

test('another key does not open it', () => {
  expect(createSecretBox(randomKeyring()).open(box.seal('a secret', place), place)).toBeNull();
});

test('a box names its key', () => {
  const sealed = box.seal('a secret', place);
  expect(keyIdOf(sealed)).toBe(keyring.current.id);
  expect(Buffer.from(sealed).subarray(0, 5)).toEqual(boxPrefix(keyring.current.id));
  expect(keyIdOf(sealed.subarray(0, 20))).toBeNull();
  expect(keyIdOf(Uint8Array.from(sealed).fill(1, 0, 1))).toBeNull();
});

test('with two keys, the current key seals and both keys open', () => {
  const next = randomKeyring();
  const [before, during] = [
    createSecretBox(createKeyring(keyring.current.bytes, next.current.bytes)),
    createSecretBox(createKeyring(next.current.bytes, keyring.current.bytes)),
  ];
  expect([keyIdOf(before.seal('s', place)), keyIdOf(during.seal('s', place))]).toEqual([
    keyring.current.id,
    next.current.id,
  ]);
  for (const one of [before, during])
    for (const other of [before, during]) expect(one.open(other.seal('a secret', place), place)).toBe('a secret');
  expect(box.open(during.seal('a secret', place), place)).toBeNull();
  expect(createSecretBox(next).open(before.seal('a secret', place), place)).toBeNull();
});

test('a box whose key id was changed to another known key does not open', () => {
  const next = randomKeyring();
  const both = createSecretBox(createKeyring(next.current.bytes, keyring.current.bytes));
  const sealed = Buffer.from(box.seal('a secret', place));
  expect(both.open(sealed, place)).toBe('a secret');
  expect(both.open(Buffer.concat([boxPrefix(next.current.id), sealed.subarray(5)]), place)).toBeNull();
});

test.each([
  ['another account', { ...place, accountId: '01900000-0000-7000-8000-000000000001' }],
  ['another field', { ...place, field: 'project_delivery_secret' }],
])('%s does not open it', (_name, other) => {
  expect(box.open(box.seal('a secret', place), other)).toBeNull();
});
