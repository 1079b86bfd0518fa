import { expect, test } from 'vitest';
import { defaultWaitsMs, nextWaitMs } from '../../src/notifications/retries.ts';

test('a notification has five tries, with delays of 1 s, 5 s, 30 s and 2 min', () => {
  expect([1, 2, 3, 4, 5].map((attempt) => nextWaitMs(defaultWaitsMs, attempt, null))).toEqual([
    ...[1_000, 5_000, 30_000, 120_000],
    null,
  ]);
});

test('Retry-After lengthens a delay, up to an hour, and never shortens it', () => {
  expect(nextWaitMs(defaultWaitsMs, 1, 7_000)).toBe(7_000);
  expect(nextWaitMs(defaultWaitsMs, 3, 7_000)).toBe(30_000);
  expect(nextWaitMs(defaultWaitsMs, 1, 86_400_000)).toBe(3_600_000);
  expect(nextWaitMs(defaultWaitsMs, 5, 7_000)).toBeNull();
});
