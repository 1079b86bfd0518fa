import { expect, test } from 'vitest';
import { defaultWaitsMs, nextTry } from '../../src/notifications/retries.ts';

const minuteMs = 60_000;
const after = (attempt: number, retryAfterMs: number | null, ageMs = 0) =>
  nextTry(defaultWaitsMs, { attempt, retryAfterMs, ageMs });

test('a notification has five tries, with delays of 1 s, 5 s, 30 s and 2 min', () => {
  expect([1, 2, 3, 4, 5].map((attempt) => after(attempt, null)?.waitMs ?? null)).toEqual([
    ...[1_000, 5_000, 30_000, 120_000],
    null,
  ]);
});

test('a service that asks to wait uses up no try, also after the last one, and gets up to an hour', () => {
  for (const attempt of [1, 3, 5]) expect(after(attempt, 7_000)).toEqual({ waitMs: 7_000, usesTry: false });
  expect(after(5, 0)).toEqual({ waitMs: 0, usesTry: false });
  expect(after(1, 86_400_000)).toEqual({ waitMs: 60 * minuteMs, usesTry: false });
});

test('its waits grow with the age of the message up to 2 min, so that a burst ends', () => {
  expect([10_000, minuteMs, 60 * minuteMs].map((ageMs) => after(1, 1_000, ageMs)?.waitMs)).toEqual([
    5_000,
    30_000,
    2 * minuteMs,
  ]);
});

test('of a message that is older than a day, Retry-After only lengthens a delay', () => {
  const ageMs = 24 * 60 * minuteMs;
  expect(after(1, 7_000, ageMs)).toEqual({ waitMs: 7_000, usesTry: true });
  expect(after(3, 7_000, ageMs)).toEqual({ waitMs: 30_000, usesTry: true });
  expect(after(5, 7_000, ageMs)).toBeNull();
});
