import { RE2JS } from 're2js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isFound } from '../../src/conditions/pattern.ts';

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
