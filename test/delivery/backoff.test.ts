import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextDelayMs, spanLimitMs } from '../../src/delivery/backoff.ts';

const minuteMs = 60_000;
const delaysMs = [10_000, 30_000, ...[1, 2, 5, 10, 20, 40, 80].map((minutes) => minutes * minuteMs)];
const middle = { delaysMs, number: 1, retryAfterMs: null, elapsedMs: 0, random: () => 0.5 };

/** The delays of a generation in which each attempt fails after `attemptMs`. */
function walk(randoms: readonly number[], retryAfters: readonly (number | null)[], attemptMs = 0) {
  let elapsedMs = attemptMs;
  for (const index of delaysMs.keys()) {
    const retryAfterMs = retryAfters[index] ?? null;
    const random = () => randoms[index] ?? 0.5;
    const delayMs = nextDelayMs({ delaysMs, number: index + 1, retryAfterMs, elapsedMs, random });
    if (delayMs === null) throw new Error('the schedule ended early');
    elapsedMs += delayMs + attemptMs;
  }
  return elapsedMs;
}

const randoms = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 });

describe('the default schedule', () => {
  test('has nine delays of 9,520 s in all', () => {
    expect(delaysMs.map((_, index) => nextDelayMs({ ...middle, number: index + 1 }))).toEqual(delaysMs);
    expect(walk([], [])).toBe(9_520_000);
  });

  test('ends with the tenth attempt', () => expect(nextDelayMs({ ...middle, number: 10 })).toBeNull());

  test('takes 2 to 4 h with any jitter', () => {
    fc.assert(
      fc.property(randoms, (values) => {
        const spanMs = walk(values, []);
        expect(spanMs).toBeGreaterThanOrEqual(2 * 60 * minuteMs);
        expect(spanMs).toBeLessThanOrEqual(spanLimitMs);
      }),
    );
  });

  test('varies by 10 %', () => {
    expect(nextDelayMs({ ...middle, random: () => 0 })).toBe(9_000);
    expect(nextDelayMs({ ...middle, random: () => 1 })).toBe(11_000);
  });
});

describe('Retry-After', () => {
  test('lengthens the delay', () => expect(nextDelayMs({ ...middle, retryAfterMs: 120_000 })).toBe(120_000));
  test('never shortens it', () =>
    expect(nextDelayMs({ ...middle, number: 9, retryAfterMs: 1_000 })).toBe(80 * minuteMs));

  test('is limited to what fits within 4 h', () => {
    expect(nextDelayMs({ ...middle, retryAfterMs: 24 * 60 * minuteMs })).toBe(spanLimitMs - (9_520_000 - 10_000));
    const gone = spanLimitMs - 80 * minuteMs;
    expect(nextDelayMs({ ...middle, number: 9, elapsedMs: gone, retryAfterMs: 24 * 60 * minuteMs })).toBe(
      80 * minuteMs,
    );
    expect(nextDelayMs({ ...middle, elapsedMs: 2 * spanLimitMs, retryAfterMs: 24 * 60 * minuteMs })).toBe(10_000);
  });

  test('the total stays within 4 h and the jitter for any values of Retry-After', () => {
    const asked = fc.array(fc.option(fc.integer({ min: 0, max: 86_400_000 })), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(randoms, asked, (values, retryAfters) => {
        expect(walk(values, retryAfters)).toBeLessThanOrEqual(spanLimitMs + 0.1 * 9_520_000);
      }),
    );
  });

  test('no delay is shorter than that of the schedule less its jitter', () => {
    const number = fc.integer({ min: 1, max: 9 });
    const elapsed = fc.integer({ min: 0, max: 2 * spanLimitMs });
    fc.assert(
      fc.property(number, elapsed, fc.option(fc.integer({ min: 0 })), (number, elapsedMs, retryAfterMs) => {
        const delayMs = nextDelayMs({ delaysMs, number, elapsedMs, retryAfterMs, random: Math.random });
        expect(delayMs).toBeGreaterThanOrEqual(0.9 * (delaysMs[number - 1] ?? 0));
        expect(Number.isInteger(delayMs)).toBe(true);
      }),
    );
  });
});
