import fc from 'fast-check';
import { expect, test } from 'vitest';
import { constantTimeEqual, constantTimeMatcher } from '../../src/secrets/constant-time.ts';

// 'binary' includes lone surrogates: different strings that have the same UTF-8 bytes.
const anyString = fc.string({ unit: 'binary', maxLength: 80 });

test('the comparison never throws and equals ===', () => {
  fc.assert(
    fc.property(anyString, anyString, (left, right) => constantTimeEqual(left, right) === (left === right)),
    {
      examples: [
        ['\ud800', '\ufffd'],
        ['', ''],
        ['', '\0'],
        ['a', 'aa'],
        ['é', 'e\u0301'],
      ],
    },
  );
  fc.assert(fc.property(anyString, (text) => constantTimeEqual(text, `${text}`)));
});

test('a prefix, an extension and a huge value do not match', () => {
  const matches = constantTimeMatcher('secret');
  expect(['secre', 'secret ', 'Secret', '', 's'.repeat(1_000_000)].filter(matches)).toEqual([]);
  expect(matches('secret')).toBe(true);
});
