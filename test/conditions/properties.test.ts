import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storedContent } from '../../src/conditions/content.ts';
import { evaluate } from '../../src/conditions/evaluate.ts';
import { maxConditionLength, parseCondition } from '../../src/conditions/parse.ts';
import { printCondition } from '../../src/conditions/print.ts';
import {
  type Condition,
  comparators,
  contents,
  functions,
  type Header,
  type Kind,
  type LiteralValue,
  methods,
  type Operand,
  type PayloadPath,
  type VariableName,
  variableKinds,
} from '../../src/conditions/tree.ts';
import { failed, treeOf } from './support.ts';

type OwnKind = Exclude<Kind, 'number' | 'any'>;
const kinds: OwnKind[] = ['text', 'integer', 'boolean'];
// Any character, but more often those with a meaning in the grammar, in JavaScript or in Unicode.
const unit = fc.oneof(
  fc.constantFrom('"', "'", '\\', '\n', '\t', '(', ' and '),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const texts = fc.array(unit, { maxLength: 4 }).map((units) => units.join(''));
const values: Record<OwnKind, fc.Arbitrary<LiteralValue>> = {
  text: texts,
  integer: fc.maxSafeInteger().map((value) => value + 0),
  boolean: fc.boolean(),
};
/** Literals that no variable equals: with a fraction, or beyond the safe integers. */
const otherNumbers: fc.Arbitrary<LiteralValue> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((value) => value + 0),
  fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n }),
  fc.bigInt({ min: -(10n ** 40n), max: -(2n ** 53n) }),
);
const anyValue = fc.oneof(values.text, values.integer, values.boolean, otherNumbers);
const payloads: fc.Arbitrary<PayloadPath> = fc
  .array(fc.oneof(texts, fc.constantFrom('a', 'contains', 'in', '__proto__', 'a-b'), fc.maxSafeNat()), { maxLength: 4 })
  .map((path) => ({ kind: 'payload', path }));
const headers: fc.Arbitrary<Header> = texts.map((name) => ({ kind: 'header', name: name.toLowerCase() }));
const literalOf = (kind: OwnKind): fc.Arbitrary<Operand> => values[kind].map((value) => ({ kind: 'literal', value }));
const isName = (name: string): name is VariableName => name in variableKinds;
const variableOf = (kind: OwnKind): fc.Arbitrary<Operand> => {
  const names = Object.keys(variableKinds).filter(isName);
  return fc
    .constantFrom(...names.filter((name) => variableKinds[name] === kind))
    .map((name) => ({ kind: 'variable', name }));
};
const ownOf = (kind: OwnKind) => fc.oneof(variableOf(kind), literalOf(kind));
const operandOf = (kind: OwnKind) => fc.oneof(ownOf(kind), payloads, ...(kind === 'text' ? [headers] : []));
const anyOperand: fc.Arbitrary<Operand> = fc.oneof(
  ...kinds.map(operandOf),
  otherNumbers.map((value): Operand => ({ kind: 'literal', value })),
);
const content = storedContent({ headers: [['a', 'b']], body: Buffer.from('{"a":{"a":[1,"a",null]},"in":true}') });
const anyKind = fc.constantFrom(...kinds);

const questions: fc.Arbitrary<Condition> = fc.oneof(
  operandOf('boolean').map((operand): Condition => ({ kind: 'alone', operand })),
  anyKind.chain((kind) =>
    fc
      .record({ operator: fc.constantFrom('==', '!='), left: ownOf(kind), right: operandOf(kind) })
      .map((sides): Condition => ({ kind: 'compare', ...sides })),
  ),
  anyKind.chain((kind) =>
    fc
      .record({ left: ownOf(kind), values: fc.array(values[kind], { minLength: 1, maxLength: 4 }) })
      .map((sides): Condition => ({ kind: 'in', ...sides })),
  ),
  fc
    .record({ operator: fc.constantFrom(...comparators), left: payloads, right: operandOf('integer') })
    .map((sides): Condition => ({ kind: 'compare', ...sides })),
  fc
    .record({ operator: fc.constantFrom('==', '!='), left: payloads, right: anyOperand })
    .map((sides): Condition => ({ kind: 'compare', ...sides })),
  fc
    .record({ left: payloads, values: fc.array(anyValue, { minLength: 1, maxLength: 4 }) })
    .map((sides): Condition => ({ kind: 'in', ...sides })),
  fc.oneof(payloads, headers).map((operand): Condition => ({ kind: 'exists', operand })),
  fc
    .record({ left: operandOf('text'), pattern: fc.constantFrom('^a', '[a-z]+"', '\\\\d', '') })
    .map((call): Condition => ({ kind: 'matches', ...call })),
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
    expect(evaluate(parsed.condition, failed, content)).toBeTypeOf('boolean');
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
    ...['<', '>=', '9007199254740993', '[0]', 'payload', 'payload.a', 'header["a"]', 'payload.a.'],
    ...['exists(', 'matches(payload.a, "', 'exists(payload)', 'matches(provider, "a+")', '"(a"'],
    ...[...contents, ...functions, ...Object.keys(variableKinds)],
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
  test.each([
    '(',
    'payload.',
    'payload[',
    '.a',
    'exists(',
    'matches(',
    'header[',
    'not ',
    '"',
    '\\',
    '[',
    'true and ',
    'provider.',
    '"\\',
    "'a'",
    '\n',
    '-',
    '1',
    'a',
  ])('%j repeated many times', (piece) => {
    for (const length of [50, 51, 999, 1_000, 1_001, 500_000])
      expectAnswer(piece.repeat(Math.ceil(length / piece.length)).slice(0, length));
  });
});
