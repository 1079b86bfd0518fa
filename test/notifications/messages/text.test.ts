import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, escapedWithin, oneLine, plainUrl, utc, visible } from '../../../src/notifications/messages/text.ts';
import { controls } from './support.ts';

const anyText = fc.string({ unit: 'binary' });
const brokenText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

test('control characters, direction overrides and lone surrogates are replaced', () => {
  expect(visible('a\u0000b\u001B[31mc\u007F')).toBe('a␀b␛[31mc␡');
  expect(visible('a\u0080b\u202Ec\u2066d\uD800e\uDC00')).toBe('a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFD');
});

test('every line break becomes a line feed, and tabs stay', () => {
  expect(visible('a\r\nb\rc\u2028d\u2029e\u0085f\n\tg')).toBe('a\nb\nc\nd\ne\nf\n\tg');
});

test('other text stays unchanged', () => {
  expect(visible('Grüße, 世界 😀 <b>&amp;')).toBe('Grüße, 世界 😀 <b>&amp;');
});

test('a single line has no line breaks and no surrounding white space', () => {
  expect(oneLine('  a\r\n\r\n b\tc\n')).toBe('a b c');
});

test('any text becomes well-formed, without control characters', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, brokenText), (text) => {
      const shown = visible(text);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toMatch(controls);
      expect(oneLine(text)).not.toMatch(/[\r\n\t\u0085\u2028\u2029]/);
    }),
  );
});

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['😀😀', 3, '😀…'],
  ['😀😀', 4, '😀😀'],
  ['a😀b', 3, 'a…'],
  ['😀b', 2, '…'],
  ['ab', 1, '…'],
  ['ab', 0, ''],
])('%s cut to %i is %s', (text, maxLength, expected) => {
  expect(cut(text, maxLength)).toBe(expected);
});

test('a text that fits only unescaped is cut before an escape', () => {
  const doubled = (text: string) => text.replace(/[*]/g, '\\$&');
  expect(escapedWithin('***', 6, doubled)).toBe('\\*\\*\\*');
  expect(escapedWithin('****', 6, doubled)).toBe('\\*\\*…');
  expect(escapedWithin('****', 5, doubled)).toBe('\\*\\*…');
  expect(escapedWithin('****', 4, doubled)).toBe('\\*…');
  expect(escapedWithin('*', 1, doubled)).toBe('…');
  expect(escapedWithin('*', 0, doubled)).toBe('');
});

test('an escaped text fits, is a prefix of the full text, and uses the available length', () => {
  const escaped = (text: string) => text.replace(/[&<]/g, (character) => (character === '&' ? '&amp;' : '&lt;'));
  const text = fc.array(fc.constantFrom('&', '<', 'a', '😀')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 60 }), (given, maxLength) => {
      const result = escapedWithin(given, maxLength, escaped);
      expect(result.length).toBeLessThanOrEqual(maxLength);
      expect(result.isWellFormed()).toBe(true);
      const whole = escaped(given);
      if (whole.length <= maxLength) {
        expect(result).toBe(whole);
      } else if (maxLength > 0) {
        expect(result.endsWith('…')).toBe(true);
        expect(whole.startsWith(result.slice(0, -1))).toBe(true);
        // One more character would not fit: none is longer than five units.
        expect(result.length).toBeGreaterThan(maxLength - 5);
      }
    }),
  );
});

test('a URL keeps its meaning, without characters that could end the markup around it', () => {
  const url = 'http://[::1]:8080/dashboard/events?a=b%20c&d=~e_f*g#h';
  expect(plainUrl(url)).toBe(url);
  expect(plainUrl('http://a/(b)|<c>"d e`\\\n\uD800')).toBe('http://a/%28b%29%7C%3Cc%3E%22d%20e%60%5C%0A%EF%BF%BD');
});

test('times are in UTC, to the second', () => {
  expect(utc(new Date('2026-11-21T15:33:16.987Z'))).toBe('2026-11-21 15:33:16 UTC');
});
