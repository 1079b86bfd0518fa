import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barsOf, finestStepMs } from '../../../src/events/summary/bars.ts';

const nowMs = Date.parse('2026-11-20T10:00:00Z');
const minuteMs = 60_000;
const at = (beforeMs: number) => ({ atMs: Math.floor((nowMs - beforeMs) / minuteMs) * minuteMs, events: 2, failed: 1 });

test('bars have all events, in any span, and are few', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 4 * 365 * 86_400_000 }), { maxLength: 20 }),
      fc.option(fc.integer({ min: 1, max: 60 * 365 * 86_400_000 }), { nil: undefined }),
      (ages, sinceMs) => {
        const counted = ages.filter((age) => sinceMs === undefined || age < sinceMs - minuteMs).map(at);
        const since = sinceMs === undefined ? undefined : new Date(nowMs - sinceMs);
        const { bars, stepMs, from } = barsOf(counted, { since, nowMs, finestMs: minuteMs });
        expect(bars.reduce((sum, { events }) => sum + events, 0)).toBe(2 * counted.length);
        expect(bars.reduce((sum, { failed }) => sum + failed, 0)).toBe(counted.length);
        expect(bars.length).toBeLessThanOrEqual(62);
        expect(from.getTime() % stepMs).toBe(0);
      },
    ),
  );
});

test.each([
  ['15 minutes', 15 * minuteMs, 15_000],
  ['an hour', 60 * minuteMs, minuteMs],
  ['a day', 24 * 60 * minuteMs, 60 * minuteMs],
  ['a week', 7 * 24 * 60 * minuteMs, 3 * 60 * minuteMs],
])('a span of %s is shown whole, with round bars', (_, spanMs, stepMs) => {
  const since = new Date(nowMs - spanMs);
  const made = barsOf([at(spanMs - 2 * minuteMs)], { since, nowMs, finestMs: finestStepMs({ since }, nowMs) });
  expect(made.stepMs).toBe(stepMs);
  expect(made.from.getTime()).toBeLessThanOrEqual(since.getTime());
  expect(made.to.getTime()).toBeGreaterThanOrEqual(nowMs);
});
