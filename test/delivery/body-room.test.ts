import { expect, test } from 'vitest';
import { BodyRoom } from '../../src/delivery/body-room.ts';

const mib = 1024 * 1024;
let next = 0;
/** Another event of an account, with a body of so many MiB. */
const event = (accountId: string, size: number) => ({ accountId, eventId: `event-${next++}`, bodyBytes: size * mib });
const isIn = (slot: object) => 'release' in slot;

test('an account holds at most 64 MiB, and all together 128 MiB', () => {
  const room = new BodyRoom();
  const acquire = (accountId: string, size: number) => room.acquire(event(accountId, size), 0);
  expect([acquire('a', 25), acquire('a', 25), acquire('a', 25)].map(isIn)).toEqual([true, true, false]);
  expect([acquire('b', 60), acquire('c', 18), acquire('c', 1)].map(isIn)).toEqual([true, true, false]);
});

test('the account’s share of a body that found no room in all is given back', () => {
  const room = new BodyRoom();
  const a = room.acquire(event('a', 60), 0);
  const b = room.acquire(event('b', 60), 0);
  const waiting = event('c', 40);
  expect([a, b, room.acquire(waiting, 0)].map(isIn)).toEqual([true, true, false]);
  if ('release' in a) a.release();
  expect(isIn(room.acquire(waiting, 1))).toBe(true);
  expect(isIn(room.acquire(event('c', 24), 1))).toBe(true);
});

test('a body larger than the bounds is held alone, and smaller ones that come later do not overtake it', () => {
  const room = new BodyRoom();
  const small = room.acquire(event('a', 1), 0);
  const large = event('a', 100);
  expect([small, room.acquire(large, 0), room.acquire(event('a', 1), 0)].map(isIn)).toEqual([true, false, false]);
  if ('release' in small) small.release();
  const held = room.acquire(large, 1);
  expect([held, room.acquire(event('a', 1), 1)].map(isIn)).toEqual([true, false]);
});
