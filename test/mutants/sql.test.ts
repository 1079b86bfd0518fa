import { expect, test } from 'vitest';
import { functionEdits, sqlEdits } from './sql-edits.ts';
import { sqlTokens } from './sql-tokens.ts';

/** What the changes make of a text. */
const changed = (text: string) =>
  sqlEdits(text).map(({ start, end, after }) =>
    (text.slice(0, start) + after + text.slice(end)).replaceAll(/\s+/g, ' ').trim(),
  );

test('comments are no tokens, and a text in quotes is one', () => {
  const text = `select 'it''s -- a /* text', "a-b", $1 -- it's a < b\n/* and 'c' */ from t where a >= 1.5 and b::text = $q$x$q$`;
  expect(sqlTokens(text).map((token) => text.slice(token.start, token.end))).toEqual(
    `select|'it''s -- a /* text'|,|"a-b"|,|$1|from|t|where|a|>=|1.5|and|b|::|text|=|$q$|x|$q$`.split('|'),
  );
});

test('parentheses and case open a level, and end if closes none', () => {
  const depths = (text: string) => sqlTokens(text).map(({ depth }) => depth);
  expect(depths('a (b [c]) d')).toEqual([0, 0, 1, 1, 2, 1, 0, 0]);
  expect(depths('case when a then b end c')).toEqual([0, 1, 1, 1, 1, 0, 0]);
  expect(depths('if a then b; end if; end')).toEqual(Array(9).fill(0));
});

test('a condition is dropped with its and, up to the end of its level', () => {
  const of = changed('select 1 from t where a is distinct from b and (c or d) and e between 1 and f order by g');
  for (const one of [
    'select 1 from t where (c or d) and e between 1 and f order by g',
    'select 1 from t where a is distinct from b and e between 1 and f order by g',
    'select 1 from t where a is distinct from b and (c or d) order by g',
    'select 1 from t where a is distinct from b and (c ) and e between 1 and f order by g',
    'select 1 from t where a is distinct from b or (c or d) and e between 1 and f order by g',
  ])
    expect(of).toContain(one);
  // The `and` of `between` joins no conditions.
  expect(of.filter((text) => /between 1 (or|order)/.test(text))).toEqual([]);
});

test('a condition by which PostgreSQL prunes partitions is not dropped', () => {
  expect(changed('update e set a = b from i where e.id = i.id and e.id between p_low and p_high')).not.toContain(
    'update e set a = b from i where e.id = i.id',
  );
});

test('an assignment is no comparison', () => {
  expect(changed(`update t set a = b, c = case when d = e then f else g end where h = i`)).toEqual([
    'update t set a = b, c = case when true then f else g end where h = i',
    'update t set a = b, c = case when false then f else g end where h = i',
    'update t set a = b, c = case when d <> e then f else g end where h = i',
    'update t set a = b, c = case when d = e then f else g end where true',
    'update t set a = b, c = case when d = e then f else g end where h <> i',
  ]);
  expect(changed(`raise exception 'x' using errcode = 'y', hint = 'z'`)).toEqual([]);
});

test('numbers that name a column are no constants', () => {
  expect(changed('select a, count(b) from t group by 1, 2')).toEqual([]);
  expect(changed('perform 1 from t')).toEqual([]);
  expect(changed('select lane + 1')).toEqual(['select lane + 2', 'select lane + 0']);
});

test('a function is only changed between the quotes of its body', () => {
  const text = `-- a < b\ncreate or replace function f(a integer default 1) returns boolean language sql as $$\n  -- a < b\n  select a < 2\n$$;\n`;
  const edits = functionEdits(text);
  expect(edits.map(({ start, end, after }) => `${text.slice(start, end)} ${after}`)).toEqual([
    '< <=',
    '< >=',
    '2 3',
    '2 0',
  ]);
  expect(edits.every(({ start }) => text.slice(start - 'select a '.length).includes('$$;'))).toBe(true);
});
