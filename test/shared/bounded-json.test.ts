import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWithinBounds, parseWithinBounds } from '../../src/shared/bounded-json.ts';

/** The depth of nested objects and arrays. */
function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

/** Texts with brackets, separators, quotes and backslashes. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'é', '🎁', '\\u005b', '\ud800') }),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 12, depthSize: 'large' },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const written = fc.tuple(json, fc.constantFrom(undefined, 1, '\t')).map(([value, space]) => ({
  levels: levelsOf(JSON.parse(JSON.stringify(value))),
  text: JSON.stringify(value, null, space),
}));

const within = (json: string, levels: number) => isWithinBounds(Buffer.from(json), { levels });

describe('levels', () => {
  test('JSON is within its own number of levels, and not within one less', () => {
    fc.assert(
      fc.property(written, ({ text, levels }) => {
        expect(within(text, levels)).toBe(true);
        if (levels > 0) expect(within(text, levels - 1)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  }, 30_000);

  test('the result equals that of JSON.parse, and a text that JSON.parse refuses is not parsed', () => {
    const edited = fc
      .tuple(written, fc.nat(), fc.constantFrom('"', '\\', '[', '}', ',', ''))
      .map(([{ text }, at, put]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(edited, fc.string()), (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expected = undefined;
        }
        expect(parseWithinBounds(text, { levels: 1000 })).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[name: string, json: string, levels: number]>([
    ['nothing', '', 0],
    ['a number', '1', 0],
    ['brackets in a string', '"[[{{"', 0],
    ['a quote in a string', '["\\"[[", [1]]', 2],
    ['a backslash at the end of a string', '["\\\\", [1]]', 2],
    ['an escaped bracket', '["\\u005b\\u005b"]', 1],
    ['brackets in a name', '{"[[[":{}}', 2],
    ['neighbours', '[[],[],{},[[]]]', 3],
    ['a string that does not end', '["[[[[', 1],
    ['a backslash at the end', '["\\', 1],
  ])('%s', { timeout: 30_000 }, (_name, json, levels) => {
    expect(within(json, levels)).toBe(true);
    if (levels > 0) expect(within(json, levels - 1)).toBe(false);
  });
});

describe('values', () => {
  const withValues = (json: string, values: number) => isWithinBounds(Buffer.from(json), { levels: 9, values });

  test('elements and members of all levels are counted', () => {
    const json = '[1,{"a":2,"b":[3,4]},"5,,,,"]';
    expect(withValues(json, 8)).toBe(true);
    expect(withValues(json, 7)).toBe(false);
  });

  test('ten thousand empty objects are more than ten thousand values', () => {
    expect(withValues(`[${Array(10_000).fill('{}')}]`, 10_000)).toBe(false);
  });
});
