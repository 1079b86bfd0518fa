import { expect, test } from 'vitest';
import { type SlotOrWait, Slots } from '../../src/delivery/slots.ts';

const limit = 8;
const soonMs = 1_000;
const muchLaterMs = 3_600_000;

const release = (slot: SlotOrWait) => 'release' in slot && slot.release();

/** The slots were all acquired, the next one was reserved for a waiting attempt, and then all were released. */
function withReservedSlot(): Slots {
  const slots = new Slots(limit);
  const held = Array.from({ length: limit }, (_, n) => slots.acquire('account', `event-${n}`, 0));
  expect(slots.acquire('account', 'late', 0)).toEqual({ waitMs: expect.any(Number) });
  for (const slot of held) release(slot);
  return slots;
}

/** The number of slots that the relay gets. */
function forRelay(slots: Slots, nowMs: number): number {
  const held: SlotOrWait[] = [];
  for (
    let slot = slots.acquireDirect('account', nowMs);
    'release' in slot;
    slot = slots.acquireDirect('account', nowMs)
  )
    held.push(slot);
  for (const slot of held) release(slot);
  return held.length;
}

test('while a slot is reserved for a waiting attempt, the relay gets half of the slots', () => {
  const slots = withReservedSlot();
  expect(slots.busy(soonMs)).toEqual(new Map([['account', limit / 2]]));
  expect(forRelay(slots, soonMs)).toBe(limit / 2);
});

test('a reserved slot that is not acquired, because the attempt moved to another worker, becomes free', () => {
  const slots = withReservedSlot();
  expect(forRelay(slots, muchLaterMs)).toBe(limit);
});

test('an account that holds no slot is forgotten', () => {
  const slots = withReservedSlot();
  expect(slots.busy(muchLaterMs)).toEqual(new Map());
});
