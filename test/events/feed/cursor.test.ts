import { expect, test } from 'vitest';
import { type Cursor, cursorText, readCursor } from '../../../src/events/feed/cursor.ts';

/**
 * A cursor of form 1, as this release writes it, and what it holds. Clients store cursors for months, so every later
 * release has to read it: add other forms beside this one, and do not change it.
 */
const stored = 'AY0_XC5xq0_Wmw78Pnv6INUBI0VniavN7wGfR5zhKHv9vlprTD0uH_8BAgMEBQYHCA';
const held: Cursor = {
  epoch: '8d3f5c2e-71ab-4fd6-9b0e-fc3e7bfa20d5',
  xid: '81985529216486895',
  id: '019f479c-e128-7bfd-be5a-6b4c3d2e1fff',
  loss: '72623859790382856',
};
const bytes = Buffer.from(stored, 'base64url');
const withBytes = (at: number, ...values: number[]) => {
  const changed = Buffer.from(bytes);
  changed.set(values, at);
  return changed.toString('base64url');
};
const withEnd = (...values: number[]) => Buffer.concat([bytes, Buffer.of(...values)]).toString('base64url');

test('a stored cursor of form 1 is read to the values it was made of', () => {
  expect(readCursor(stored)).toEqual(held);
});

test('the smallest and the largest values are read as they were written', () => {
  const zero = '00000000-0000-0000-0000-000000000000';
  const smallest = { epoch: zero, xid: '0', id: zero, loss: '0' };
  const ones = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const largest = { epoch: ones, xid: String(2n ** 64n - 1n), id: ones, loss: String(2n ** 63n - 1n) };
  for (const cursor of [smallest, largest, held]) expect(readCursor(cursorText(cursor))).toEqual(cursor);
});

test('a cursor that was cut is refused, at any length', () => {
  for (let length = 0; length < stored.length; length++)
    expect([length, readCursor(stored.slice(0, length))]).toEqual([length, null]);
  for (let length = 0; length < bytes.length; length++)
    expect([length, readCursor(bytes.toString('base64url', 0, length))]).toEqual([length, null]);
});

test.each([
  ['a letter', `${stored}A`],
  ['a byte', withEnd(0)],
  ['a whole cursor', withEnd(...bytes)],
  ['padding', `${stored}==`],
  ['a line break', `${stored}\n`],
  ['a space before it', ` ${stored}`],
])('a cursor that was extended by %s is refused', (_, text) => {
  expect(readCursor(text)).toBeNull();
});

test.each([0, 2, 129, 255])('a cursor whose first byte is %i, of no known form, is refused', (byte) => {
  expect(readCursor(withBytes(0, 1))).toEqual(held);
  expect(readCursor(withBytes(0, byte))).toBeNull();
});

test.each([
  // The stored cursor has both letters in which the alphabets differ.
  ['the standard alphabet of base64', stored.replaceAll('-', '+').replaceAll('_', '/')],
  ['base64 with padding', bytes.toString('base64')],
  ['hexadecimal', bytes.toString('hex')],
  ['one letter of no alphabet', stored.replace('q', '*')],
  // Other letters for the same bytes: the last letter has four unused bits.
  ['another last letter', stored.replace(/A$/, 'B')],
])('a cursor in %s is refused', (_, text) => {
  expect(text).not.toBe(stored);
  expect(readCursor(text)).toBeNull();
});

test('a number of a loss that the database cannot have is refused', () => {
  const lossAt = bytes.length - 8;
  expect(readCursor(withBytes(lossAt, 0x7f))).not.toBeNull();
  expect(readCursor(withBytes(lossAt, 0x80))).toBeNull();
});
