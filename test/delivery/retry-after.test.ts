import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/delivery/retry-after.ts';

/** The most that a consumer's schedule leaves room for: 7 days, and half as much. */
const longestMs = 10.5 * 86_400_000;
const nowMs = Date.UTC(1994, 10, 6, 8, 48, 37);

test.each([
  ['120', 120_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['99999999999999999999', longestMs],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 60_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 60_000],
  ['Sun Nov  6 08:49:37 1994', 60_000],
  ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
  ['Sat, 06 Nov 2094 08:49:37 GMT', longestMs],
  ['Sun, 06 Nov 1994 08:47:37 GMT', null],
  ['Sun, 99 Nov 1994 08:47:37 GMT', null],
  ['-5', null],
  ['1.5', null],
  ['1e3', null],
  ['0x10', null],
  ['2094', 2_094_000],
  ['soon', null],
  ['2094-01-01T00:00:00Z', null],
  ['', null],
])('%j is %s', (value, expected) => expect(parseRetryAfter(value, nowMs)).toBe(expected));

test('any text is a delay of 0 to 10.5 days or null', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
      ),
      (text) => {
        const waitMs = parseRetryAfter(text, nowMs);
        expect(waitMs === null || (waitMs >= 0 && waitMs <= longestMs)).toBe(true);
      },
    ),
  );
});
