import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/notifications/destinations/conditions/evaluate.ts';
import { maxConditionLength, parseCondition } from '../../../src/notifications/destinations/conditions/parse.ts';
import { printCondition } from '../../../src/notifications/destinations/conditions/print.ts';
import {
  type Condition,
  type Kind,
  type LiteralValue,
  methods,
  type Operand,
  type VariableName,
  variableKinds,
} from '../../../src/notifications/destinations/conditions/tree.ts';
import { failed, treeOf } from './support.ts';

const kinds: Kind[] = ['text', 'integer', 'boolean'];
// Any character, but more often those with a meaning in the grammar, in JavaScript or in Unicode.
const unit = fc.oneof(
  fc.constantFrom('"', "'", '\\', '\n', '\t', '(', ' and '),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const texts = fc.array(unit, { maxLength: 4 }).map((units) => units.join(''));
const values: Record<Kind, fc.Arbitrary<LiteralValue>> = {
  text: texts,
  integer: fc.maxSafeInteger().map((value) => value + 0),
  boolean: fc.boolean(),
};
const literalOf = (kind: Kind): fc.Arbitrary<Operand> => values[kind].map((value) => ({ kind: 'literal', value }));
const isName = (name: string): name is VariableName => name in variableKinds;
const variableOf = (kind: Kind): fc.Arbitrary<Operand> => {
  const names = Object.keys(variableKinds).filter(isName);
  return fc
    .constantFrom(...names.filter((name) => variableKinds[name] === kind))
    .map((name) => ({ kind: 'variable', name }));
};
const operandOf = (kind: Kind) => fc.oneof(variableOf(kind), literalOf(kind));
const anyKind = fc.constantFrom(...kinds);

const questions: fc.Arbitrary<Condition> = fc.oneof(
  operandOf('boolean').map((operand): Condition => ({ kind: 'alone', operand })),
  anyKind.chain((kind) =>
    fc
      .record({ operator: fc.constantFrom('==', '!='), left: operandOf(kind), right: operandOf(kind) })
      .map((sides): Condition => ({ kind: 'compare', ...sides })),
  ),
  anyKind.chain((kind) =>
    fc
      .record({ left: operandOf(kind), values: fc.array(values[kind], { minLength: 1, maxLength: 4 }) })
      .map((sides): Condition => ({ kind: 'in', ...sides })),
  ),
  fc
    .record({ method: fc.constantFrom(...methods), left: operandOf('text'), text: texts })
    .map((call): Condition => ({ kind: 'method', ...call })),
);

/** Trees of a few levels, with many branches. */
const wideTrees: fc.Arbitrary<Condition> = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    questions,
    tie('tree').map((operand): Condition => ({ kind: 'not', operand })),
    fc
      .record({ kind: fc.constantFrom('and', 'or'), operands: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }) })
      .map((joined): Condition => ({ ...joined })),
  ),
})).tree;

const short: Condition = { kind: 'alone', operand: { kind: 'literal', value: true } };
/** Trees of up to 50 levels, with few branches. */
const deepTrees: fc.Arbitrary<Condition> = fc
  .tuple(questions, fc.array(fc.constantFrom('not', 'and', 'or', 'and before', 'or before'), { maxLength: 50 }))
  .map(([top, levels]) => levels.reduce(built, top));

function built(inner: Condition, level: 'not' | 'and' | 'or' | 'and before' | 'or before'): Condition {
  switch (level) {
    case 'not':
      return { kind: 'not', operand: inner };
    case 'and':
    case 'or':
      return { kind: level, operands: [short, inner] };
    case 'and before':
      return { kind: 'and', operands: [inner, short] };
    case 'or before':
      return { kind: 'or', operands: [inner, short] };
    default:
      return level satisfies never;
  }
}

const runs = { numRuns: 2_000 };
const fits = (tree: Condition) => printCondition(tree).length <= maxConditionLength;

describe('a printed tree', () => {
  test.each([
    ['wide', wideTrees],
    ['deep', deepTrees],
  ])('parses to the same tree: %s', (_name, trees) => {
    fc.assert(
      fc.property(trees.filter(fits), (tree) => {
        expect(treeOf(printCondition(tree))).toStrictEqual(tree);
      }),
      runs,
    );
  });

  test('has no superfluous parentheses', () => {
    const nested = (tree: Condition) => fits(tree) && printCondition(tree).includes('(');
    fc.assert(
      fc.property(deepTrees.filter(nested), (tree) => {
        const text = printCondition(tree);
        const pair = outermost(text);
        if (!pair) return;
        const without = `${text.slice(0, pair[0])} ${text.slice(pair[0] + 1, pair[1])} ${text.slice(pair[1] + 1)}`;
        const parsed = parseCondition(without);
        if (parsed.ok) expect(parsed.condition).not.toEqual(tree);
      }),
      runs,
    );
  });
});

/** The positions of the first pair of parentheses outside of quoted texts. */
function outermost(text: string): [number, number] | null {
  const marks = [...text.matchAll(/"(?:[^"\\]|\\[\s\S])*"|[()]/g)].filter(([mark]) => mark.length === 1);
  const open = marks[0]?.index;
  if (open === undefined) return null;
  let level = 0;
  for (const { 0: mark, index } of marks) {
    level += mark === '(' ? 1 : -1;
    if (level === 0) return [open, index];
  }
  return null;
}

/** Any text must parse to a condition that can be evaluated, or to an error with a position in the text. */
function expectAnswer(text: string): void {
  const parsed = parseCondition(text);
  if (parsed.ok) {
    expect(evaluate(parsed.condition, failed)).toBeTypeOf('boolean');
    expect(treeOf(printCondition(parsed.condition))).toStrictEqual(parsed.condition);
    return;
  }
  const lines = text.split(/\r\n|\r|\n/);
  const line = lines[parsed.line - 1];
  expect(line).toBeDefined();
  expect(parsed.column).toBeGreaterThanOrEqual(1);
  expect(parsed.column).toBeLessThanOrEqual([...(line ?? '')].length + 1);
  expect(parsed.message).toMatch(/^expected .+, found .+$/u);
  expect(parsed.message).not.toContain('undefined');
  expect(parsed.message.isWellFormed()).toBe(true);
}

const pieces = fc.constantFrom(
  ...[
    'and',
    'or',
    'not',
    'in',
    'true',
    'false',
    '(',
    ')',
    '[',
    ']',
    ',',
    '.',
    '==',
    '!=',
    '=',
    '5',
    '-1',
    '1.5',
    '"a"',
  ],
  ...[
    "'b'",
    '"',
    "'",
    '\\',
    '\n',
    '\r\n',
    ' ',
    '#',
    'contains',
    'startswith',
    '😀',
    '\u0000',
    ...Object.keys(variableKinds),
  ],
);

describe('no text makes the parser throw or hang:', { timeout: 30_000 }, () => {
  test('any characters', () =>
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 1_100 }), expectAnswer), runs));
  test('any UTF-16', () =>
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { maxLength: 200 }), (units) => expectAnswer(String.fromCharCode(...units))),
      runs,
    ));
  test('any pieces of the grammar', () =>
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 120 }), fc.constantFrom('', ' '), (words, between) =>
        expectAnswer(words.join(between)),
      ),
      { numRuns: 5_000 },
    ));
  test('a condition with parts removed, inserted or repeated', () =>
    fc.assert(
      fc.property(wideTrees.filter(fits), fc.nat(), fc.nat(12), pieces, fc.nat(2), (tree, at, cut, piece, times) => {
        const text = printCondition(tree);
        const from = at % (text.length + 1);
        expectAnswer(text.slice(0, from) + piece.repeat(times) + text.slice(from + cut));
      }),
      { numRuns: 5_000 },
    ));
  test.each(['(', 'not ', '"', '\\', '[', 'true and ', 'provider.', '"\\', "'a'", '\n', '-', '1', 'a'])(
    '%j repeated many times',
    (piece) => {
      for (const length of [50, 51, 999, 1_000, 1_001, 500_000])
        expectAnswer(piece.repeat(Math.ceil(length / piece.length)).slice(0, length));
    },
  );
});
