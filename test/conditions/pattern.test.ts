import { RE2JS } from 're2js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isFound } from '../../src/conditions/pattern.ts';
import { errorOf, treeOf } from './support.ts';

test('250 usual patterns are compiled once', () => {
  const compile = vi.spyOn(RE2JS, 'compile');
  onTestFinished(() => compile.mockRestore());
  // As long as those of 25 consumers with ten patterns each.
  const patterns = Array.from({ length: 250 }, (_, n) => `^(invoice|order)[.][a-z]+${n}$`);
  const found = () => patterns.filter((pattern) => isFound(pattern, 'invoice.paid7'));
  expect(found()).toEqual([patterns[7]]);
  expect(found()).toEqual([patterns[7]]);
  expect(compile).toHaveBeenCalledTimes(patterns.length);
});

const conditionOf = (pattern: string) => `matches(payload.x, "${pattern.replaceAll('\\', '\\\\')}")`;

test.each([
  ['classes of Unicode', `^(?:${String.raw`\pL`.repeat(200)}){1000}`],
  ['optional parts', `(?:${'.?'.repeat(400)}){1000}`],
  ['empty groups', `(?:${'()'.repeat(400)}){1000}`],
  ['counts within counts', `(?:(?:${'a'.repeat(400)}){30}){30}`],
  ['a count after flags', `(?:${'a'.repeat(400)})*(?i){1000}`],
  ['a count without an upper limit', `(?:${'a'.repeat(400)}){1000,}`],
  ['a quoted parenthesis', String.raw`(?:\Q)\E${'a'.repeat(400)}){1000}`],
  ['a bracket in a class', `(?:[])]${'a'.repeat(400)}[[:alpha:])]){1000}`],
])('a repeated group with %s is refused before it is compiled', (_, pattern) => {
  const compile = vi.spyOn(RE2JS, 'compile');
  onTestFinished(() => compile.mockRestore());
  expect(errorOf(conditionOf(pattern))).toMatch(
    /^1:20 expected a shorter regular expression, or one with lower counts, found /,
  );
  expect(compile).not.toHaveBeenCalled();
});

test.each([
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  String.raw`\x{41}{900}\p{Lu}{30}\pN{30}`,
  '(?:(?:ab|cd){10}(?i)x{30}){5}',
  '(?:a|b|c|d|e|f|g|h){300}',
  '[](){1000}[:alpha:]]{9}',
  String.raw`\Q(((a{1000}\E{900}`,
  '(?P<name>[a-z]{100}){5,}',
])('%s is not too large', (pattern) => {
  expect(treeOf(conditionOf(pattern))).toMatchObject({ kind: 'matches', pattern });
});
