import { describe, expect, test } from 'vitest';
import type { Comparator, Condition, LiteralValue, Segment, VariableName } from '../../src/conditions/tree.ts';
import { treeOf } from './support.ts';

const failed: Condition = { kind: 'alone', operand: { kind: 'variable', name: 'delivery_failed' } };
const literal = (value: LiteralValue) => ({ kind: 'literal' as const, value });
const yes: Condition = { kind: 'alone', operand: literal(true) };
const no: Condition = { kind: 'alone', operand: literal(false) };
const eventType = { kind: 'variable', name: 'event_type' } as const;
const payload = (...path: Segment[]) => ({ kind: 'payload' as const, path });
const compare = (name: VariableName, operator: Comparator, to: LiteralValue): Condition => ({
  ...{ kind: 'compare', operator, left: { kind: 'variable', name }, right: literal(to) },
});
const typeIs = (value: string) => compare('event_type', '==', value);

test.each<[text: string, tree: Condition]>([
  ['delivery_failed', failed],
  ['  \t\r\n delivery_failed\n', failed],
  ['true', yes],
  ['TRUE', yes],
  ['False', no],
  ['((delivery_failed))', failed],
  ['delivery_failed and true', { kind: 'and', operands: [failed, yes] }],
  ['delivery_failed AND true And FALSE', { kind: 'and', operands: [failed, yes, no] }],
  ['true OR false', { kind: 'or', operands: [yes, no] }],
  ['Not not true', { kind: 'not', operand: { kind: 'not', operand: yes } }],
  ['not(true)', { kind: 'not', operand: yes }],
  ['delivery_failed == false', compare('delivery_failed', '==', false)],
  ['provider != "a"', compare('provider', '!=', 'a')],
  ["provider=='a'", compare('provider', '==', 'a')],
  ['attempts == -1', compare('attempts', '==', -1)],
  ['attempts==+007', compare('attempts', '==', 7)],
  ['attempts == -0', compare('attempts', '==', 0)],
  ['response_code == 9007199254740991', compare('response_code', '==', Number.MAX_SAFE_INTEGER)],
  [
    '"a" == app_key',
    { kind: 'compare', operator: '==', left: literal('a'), right: { kind: 'variable', name: 'app_key' } },
  ],
  [
    'app_key == account_slug',
    {
      ...{ kind: 'compare', operator: '==' },
      left: { kind: 'variable', name: 'app_key' },
      right: { kind: 'variable', name: 'account_slug' },
    },
  ],
  ['event_type in ["a"]', { kind: 'in', left: eventType, values: ['a'] }],
  ['event_type IN["a",\'b\' , ""]', { kind: 'in', left: eventType, values: ['a', 'b', ''] }],
  ['attempts in [1, -2]', { kind: 'in', left: { kind: 'variable', name: 'attempts' }, values: [1, -2] }],
  ['true in [False]', { kind: 'in', left: literal(true), values: [false] }],
  ['event_type.startswith("a")', { kind: 'method', method: 'startswith', left: eventType, text: 'a' }],
  ['attempts>=5', compare('attempts', '>=', 5)],
  ['attempts <-5', compare('attempts', '<', -5)],
  ['payload', { kind: 'alone', operand: payload() }],
  ['payload.a.b', { kind: 'alone', operand: payload('a', 'b') }],
  ['payload [ 007 ] . a["b\\n"]', { kind: 'alone', operand: payload(7, 'a', 'b\n') }],
  ['payload.IN.true.payload', { kind: 'alone', operand: payload('IN', 'true', 'payload') }],
  ['payload.contains', { kind: 'alone', operand: payload('contains') }],
  ['payload.contains("a")', { kind: 'method', method: 'contains', left: payload(), text: 'a' }],
  ['payload.a.contains("a")', { kind: 'method', method: 'contains', left: payload('a'), text: 'a' }],
  ['payload.a in [1, "a", TRUE, 1.50]', { kind: 'in', left: payload('a'), values: [1, 'a', true, 1.5] }],
  ['-0.0 == payload.a', { kind: 'compare', operator: '==', left: literal(0), right: payload('a') }],
  ['+12.50 < payload.a', { kind: 'compare', operator: '<', left: literal(12.5), right: payload('a') }],
  [
    '+9007199254740993 < payload',
    { kind: 'compare', operator: '<', left: literal(9007199254740993n), right: payload() },
  ],
  [
    'header["X-A"] == "b"',
    { kind: 'compare', operator: '==', left: { kind: 'header', name: 'x-a' }, right: literal('b') },
  ],
  ['exists (payload.a)', { kind: 'exists', operand: payload('a') }],
  ["exists(header['A'])", { kind: 'exists', operand: { kind: 'header', name: 'a' } }],
  ['matches(payload.a,"^a+$")', { kind: 'matches', left: payload('a'), pattern: '^a+$' }],
  ["event_type . endswith ( 'a' )", { kind: 'method', method: 'endswith', left: eventType, text: 'a' }],
  ['"abc".contains("")', { kind: 'method', method: 'contains', left: literal('abc'), text: '' }],
])('%j', (text, tree) => expect(treeOf(text)).toStrictEqual(tree));

describe('operator precedence', () => {
  test.each([
    ['true or false and false', 'true or (false and false)'],
    ['true and false or false', '(true and false) or false'],
    ['not true and false', '(not true) and false'],
    ['not true or false', '(not true) or false'],
    ['not provider == "a" and true', '(not (provider == "a")) and true'],
    ['not not provider in ["a"] or true', '(not (not (provider in ["a"]))) or true'],
  ])('%s is %s', (text, meant) => expect(treeOf(text)).toEqual(treeOf(meant)));
  test.each([
    ['(true or false) and false', 'true or false and false'],
    ['not (true and false)', 'not true and false'],
    ['true and (false and false)', 'true and false and false'],
  ])('%s is not %s', (text, other) => expect(treeOf(text)).not.toEqual(treeOf(other)));
});

test.each([
  [String.raw`"a\"b"`, 'a"b'],
  [`"a'b"`, "a'b"],
  [String.raw`'a\'b"'`, 'a\'b"'],
  [String.raw`"\\\n\t\\n"`, '\\\n\t\\n'],
  ['"line\nbreak\ttab"', 'line\nbreak\ttab'],
  ['"Füße 😀 日本 \u2028"', 'Füße 😀 日本 \u2028'],
  ['"and or ( # not"', 'and or ( # not'],
  ['"\\\\"', '\\'],
  ['""', ''],
])('the text %s', (written, value) => expect(treeOf(`event_type == ${written}`)).toEqual(typeIs(value)));

describe('accepted at the limits:', () => {
  const nested = (levels: number) => `${'('.repeat(levels)}true${')'.repeat(levels)}`;
  test.each([
    ['1,000 characters', `event_type == "${'x'.repeat(984)}"`],
    ['1,000 characters of space', `true${' '.repeat(996)}`],
    ['many operands', `${'true or '.repeat(124)}true`],
    ['50 parentheses', nested(50)],
    ['50 times not', `${'not '.repeat(50)}true`],
    ['50 of both', `${'not ('.repeat(25)}true${')'.repeat(25)}`],
    ['50 levels twice', `${nested(50)} and ${nested(50)}`],
  ])('%s', (_name, text) => expect(() => treeOf(text)).not.toThrow());
});
