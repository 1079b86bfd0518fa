import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasRepeatedNames } from '../../src/providers/repeated-names.ts';

test.each([
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"a":{"b":[{"c":1,"d":"}","c":2}]}}',
  '{"\\"":1,"b":[1,"x",{}],"\\"":2}',
  '[{"a":1},{"b":1, "b" :1}]',
])('a repeated name: %s', (json) => expect(hasRepeatedNames(json, 9)).toBe(true));

test.each([
  '{"a":"a","b":["a","a"],"c":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\\\","b":"{\\"a\\":1,\\"a\\":2}"}',
  '["a","a"]',
  '"a"',
  '',
])('no repeated name: %s', (json) => expect(hasRepeatedNames(json, 9)).toBe(false));

test('names are checked down to the given depth only', () => {
  const json = '{"a":[{"b":1,"b":2}]}';
  expect([hasRepeatedNames(json, 3), hasRepeatedNames(json, 2)]).toEqual([true, false]);
});

test('JSON.stringify output has no repeated names', () => {
  fc.assert(fc.property(fc.json(), (json) => !hasRepeatedNames(json, 9)));
});
