import { expect, test } from 'vitest';
import { AttemptSlots } from '../../src/delivery/attempt-slots.ts';
import type { SlotOrWait } from '../../src/delivery/slots.ts';

const limit = 4;
const accountId = 'account';
const owner = (consumerId: string) => ({ consumerId, accountId });

const held = (slots: SlotOrWait[]) => slots.filter((slot) => 'release' in slot).length;
const take = (slots: AttemptSlots, consumerId: string, count: number) =>
  Array.from({ length: count }, () => slots.acquireDirect(owner(consumerId), 0));

test('a consumer has the limit, and all consumers of an account have twice as many', () => {
  const slots = new AttemptSlots(limit);
  expect(held(take(slots, 'a', 10))).toBe(limit);
  expect(held(take(slots, 'b', 10))).toBe(limit);
  expect(held(take(slots, 'c', 10))).toBe(0);
  expect('release' in slots.acquireDirect({ consumerId: 'other', accountId: 'other' }, 0)).toBe(true);
});

test('the attempts of workflows count, too, and wait for a slot of the account', () => {
  const slots = new AttemptSlots(limit);
  take(slots, 'a', limit);
  const ofWorkflows = Array.from({ length: limit }, (_, n) => slots.acquire(owner('b'), `event-${n}`, 0));
  expect(held(ofWorkflows)).toBe(limit);
  expect(slots.acquire(owner('c'), 'late', 0)).toEqual({ waitMs: expect.any(Number) });
});

test('a slot that the consumer lacks leaves none of the account held', () => {
  const slots = new AttemptSlots(limit);
  const own = take(slots, 'a', limit);
  for (let n = 0; n < 100; n++) expect('waitMs' in slots.acquireDirect(owner('a'), 0)).toBe(true);
  expect(held(take(slots, 'b', limit))).toBe(limit);
  for (const slot of own) if ('release' in slot) slot.release();
  expect(slots.inFlight('a')).toBe(0);
});

test('workflows whose consumer is full leave the slots of the account to its siblings', () => {
  const slots = new AttemptSlots(limit);
  // The account is full, so that all workflows of the slow consumer ask for a slot of it first.
  const ofOthers = [...take(slots, 'a', limit), ...take(slots, 'b', limit)];
  const ask = (at: number) => Array.from({ length: 20 }, (_, n) => slots.acquire(owner('slow'), `slow-${n}`, at));
  expect(held(ask(0))).toBe(0);
  for (const slot of ofOthers) if ('release' in slot) slot.release();
  expect(held(ask(1_000))).toBe(limit);
  expect(held(ask(2_000))).toBe(0);
  const ofSibling = Array.from({ length: limit }, (_, n) => slots.acquire(owner('quick'), `quick-${n}`, 3_000));
  expect(held(ofSibling)).toBe(limit);
});

test('workflows that wait for the account keep their place at their consumer', () => {
  const slots = new AttemptSlots(limit);
  const ofOthers = [...take(slots, 'a', limit), ...take(slots, 'b', limit)];
  const ask = (n: number) => slots.acquire(owner('late'), `late-${n}`, 0);
  expect(held(Array.from({ length: 20 }, (_, n) => ask(n)))).toBe(0);
  for (const slot of ofOthers) if ('release' in slot) slot.release();
  // Asked in the opposite order, those that came first still get the half that is kept for them.
  const order = Array.from({ length: 20 }, (_, n) => 19 - n);
  expect(order.filter((n) => 'release' in ask(n))).toEqual([19, 18, 1, 0]);
});

test('a release is announced once, after both slots are free', () => {
  const slots = new AttemptSlots(1);
  const announced: unknown[] = [];
  slots.onReleased = (released) => announced.push([released, 'release' in slots.acquireDirect(released, 0)]);
  const [slot] = take(slots, 'a', 1);
  if (slot && 'release' in slot) {
    slot.release();
    slot.release();
  }
  expect(announced).toEqual([[owner('a'), true]]);
});

test('a consumer without a slot of its own has no room while its siblings hold all slots of the account', () => {
  const slots = new AttemptSlots(limit);
  const held = [...take(slots, 'a', limit), ...take(slots, 'b', limit), ...take(slots, 'c', 1)];
  const full = { slots: 0, consumers: 3 };
  expect(Object.fromEntries(slots.free(0))).toEqual({ a: full, b: full, c: full });
  for (const slot of held.slice(0, 1)) if ('release' in slot) slot.release();
  expect(slots.free(0).get('c')).toEqual({ slots: 1, consumers: 3 });
  for (const slot of held) if ('release' in slot) slot.release();
  expect(slots.free(0).size).toBe(0);
});
