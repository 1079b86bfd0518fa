import { expect, test } from 'vitest';
import { BodyRoom } from '../../src/delivery/body-room.ts';

const mib = 1024 * 1024;
let next = 0;
/** Another event of an account, with a body of so many MiB. */
const event = (accountId: string, size: number) => ({ accountId, eventId: `event-${next++}`, bodyBytes: size * mib });
const isIn = (turn: object) => 'leave' in turn;

test('an account holds at most 64 MiB, and all together 128 MiB', () => {
  const room = new BodyRoom();
  const enter = (accountId: string, size: number) => room.enter(event(accountId, size), 0);
  expect([enter('a', 25), enter('a', 25), enter('a', 25)].map(isIn)).toEqual([true, true, false]);
  expect([enter('b', 60), enter('c', 18), enter('c', 1)].map(isIn)).toEqual([true, true, false]);
});

test('the account’s share of a body that found no room in all is given back', () => {
  const room = new BodyRoom();
  const a = room.enter(event('a', 60), 0);
  const b = room.enter(event('b', 60), 0);
  const waiting = event('c', 40);
  expect([a, b, room.enter(waiting, 0)].map(isIn)).toEqual([true, true, false]);
  if ('leave' in a) a.leave();
  expect(isIn(room.enter(waiting, 1))).toBe(true);
  expect(isIn(room.enter(event('c', 24), 1))).toBe(true);
});

test('a body larger than the bounds is held alone, and smaller ones that come later do not overtake it', () => {
  const room = new BodyRoom();
  const small = room.enter(event('a', 1), 0);
  const large = event('a', 100);
  expect([small, room.enter(large, 0), room.enter(event('a', 1), 0)].map(isIn)).toEqual([true, false, false]);
  if ('leave' in small) small.leave();
  const held = room.enter(large, 1);
  expect([held, room.enter(event('a', 1), 1)].map(isIn)).toEqual([true, false]);
});
