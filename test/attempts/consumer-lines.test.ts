import { expect, test } from 'vitest';
import { ConsumerLines } from '../../src/attempts/consumer-lines.ts';
import { AttemptSlots } from '../../src/delivery/attempt-slots.ts';
import type { Slot } from '../../src/delivery/slots.ts';

const accountId = 'account';

/** Lines of which each event that begins is noted, with its slot. */
function opened(limit: number) {
  const lines = new ConsumerLines(new AttemptSlots(limit));
  const begun: { consumerId: string; slot: Slot }[] = [];
  const join = (consumerId: string, count: number, ofAccount = accountId) => {
    for (let n = 0; n < count; n++)
      lines.join({ consumerId, accountId: ofAccount }, (slot) => begun.push({ consumerId, slot }));
  };
  return { lines, begun, join, names: () => begun.map(({ consumerId }) => consumerId) };
}

test('events of a consumer begin in their order, as far as there are slots', () => {
  const { lines, begun, join, names } = opened(2);
  join('a', 5);
  expect(names()).toEqual(['a', 'a']);
  expect(lines.of('a')).toBe(3);
  begun[0]?.slot.release();
  expect(names()).toEqual(['a', 'a', 'a']);
  expect(lines.size).toBe(2);
});

test('two busy consumers leave a third one of their account its part', () => {
  const { begun, join, names } = opened(2);
  join('a', 10);
  join('b', 10);
  join('c', 10);
  // The account has twice the slots of a consumer.
  expect(names()).toEqual(['a', 'a', 'b', 'b']);
  begun[0]?.slot.release();
  expect(names().at(-1)).toBe('c');
  // Now `a` and `c` have one each, and `b` has two.
  begun[2]?.slot.release();
  begun[3]?.slot.release();
  expect(names().slice(5).toSorted()).toHaveLength(2);
});

test('the release of one consumer lets another one begin that has waited for the account', () => {
  const { begun, join, names } = opened(1);
  join('a', 1);
  join('b', 1);
  join('c', 1);
  expect(names()).toEqual(['a', 'b']);
  begun[0]?.slot.release();
  expect(names()).toEqual(['a', 'b', 'c']);
});

test('other accounts do not wait', () => {
  const { join, names } = opened(1);
  join('a', 3);
  join('b', 3);
  join('x', 1, 'other');
  expect(names()).toEqual(['a', 'b', 'x']);
});

test('after a stop, no event begins', () => {
  const { lines, begun, join } = opened(1);
  join('a', 2);
  lines.stop();
  begun[0]?.slot.release();
  expect(begun).toHaveLength(1);
});
