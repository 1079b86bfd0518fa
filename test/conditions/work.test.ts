import { describe, expect, test } from 'vitest';
import { storedContent } from '../../src/conditions/content.ts';
import { evaluate } from '../../src/conditions/evaluate.ts';
import { Work } from '../../src/conditions/work.ts';
import { cpuMsOf, failed, treeOf } from './support.ts';

/** Far more than the work takes, and far less than it would take without a limit. */
const mostCpuMs = 10_000;

const contentOf = (value: unknown) => storedContent({ headers: [], body: Buffer.from(JSON.stringify(value)) });

/** Evaluates conditions on one event, one after the other. */
function inTurn(conditions: string[], value: unknown): { answers: boolean[]; exceeded: number } {
  const [content, work] = [contentOf(value), new Work()];
  const answers = conditions.map((text) => evaluate(treeOf(text), failed, content, work));
  return { answers, exceeded: work.exceeded };
}

describe('patterns search 8,192 UTF-16 units for an event', () => {
  const search = 'matches(payload.text, "b")';
  test('of one text', () => {
    expect(inTurn([search], { text: 'a'.repeat(8_192) })).toEqual({ answers: [false], exceeded: 0 });
    expect(inTurn([search], { text: 'a'.repeat(8_193) })).toEqual({ answers: [true], exceeded: 1 });
  });
  test('of several conditions together; those without patterns are not affected', () => {
    const text = 'a'.repeat(4_000);
    const { answers, exceeded } = inTurn([search, search, search, 'payload.text == "a"'], { text });
    expect([answers, exceeded]).toEqual([[false, false, true, false], 1]);
  });
  test('an emoji counts as two', () =>
    expect(inTurn([search], { text: '😀'.repeat(4_097) })).toEqual({ answers: [true], exceeded: 1 }));
  test('no pattern makes it slow', () => {
    const text = Array.from({ length: 8_192 }, (_, n) => 'ab'.charAt(((n * n) % 7) % 2)).join('');
    const patterns = ['(a*)*c', '(?:a?){300}a{300}c', '(a|b)*a(a|b){12}c', '(?:.?){450}c', String.raw`(?i:\\pL){990}c`];
    const searched = cpuMsOf(() => {
      for (const pattern of patterns)
        expect(inTurn([`matches(payload.text, "${pattern}")`], { text })).toEqual({ answers: [false], exceeded: 0 });
    });
    expect(searched).toBeLessThan(mostCpuMs);
  });
});

describe('10,000 steps for an event', () => {
  // 1 for `or`, and 3 for each comparison with its two sides, and 1 for each segment.
  const steps = (comparisons: number) => Array(comparisons).fill('payload.a == 2').join(' or ');
  test('of several conditions together', () => {
    const each = steps(55);
    const perCondition = 1 + 55 * 4;
    const fits = Math.floor(10_000 / perCondition);
    const { answers, exceeded } = inTurn(Array(fits + 2).fill(each), { a: 1 });
    expect([answers.slice(0, fits), answers.slice(fits), exceeded]).toEqual([Array(fits).fill(false), [true, true], 2]);
  });
  test('a negated condition counts as met, too', () => {
    const all = Array(60).fill(`not (${steps(55)} or true)`);
    const { answers } = inTurn(all, { a: 1 });
    expect([answers[0], answers.at(-1)]).toEqual([false, true]);
  });
  test('a long text takes one step for each 1,024 units', () => {
    const text = 'a'.repeat(9 * 1024 * 1024);
    expect(inTurn(['payload.text.contains("b")', 'payload.text.contains("b")'], { text })).toEqual({
      ...{ answers: [false, true], exceeded: 1 },
    });
    expect(inTurn(['payload.text.startswith("b") or payload.text.endswith("b")'], { text })).toEqual({
      ...{ answers: [false], exceeded: 0 },
    });
  });
  test('white space before a body is skipped once', () => {
    const body = Buffer.from(`${' '.repeat(4 * 1024 * 1024)}1${','.repeat(100_001)}`);
    const [content, work] = [storedContent({ headers: [], body }), new Work()];
    const condition = treeOf(Array(45).fill('exists(payload.a)').join(' or '));
    const evaluated = cpuMsOf(() => {
      for (let n = 0; n < 60; n++) expect(evaluate(condition, failed, content, work)).toBe(false);
    });
    expect([work.exceeded, evaluated < mostCpuMs]).toEqual([0, true]);
  });
  test('the same event has the same answers', () => {
    const run = () => inTurn(Array(60).fill(steps(55)), { a: 1 });
    expect(run()).toEqual(run());
  });
});
