import type { Edit } from './mutant.ts';
import { conditionEdits } from './sql-conditions.ts';
import { type SqlToken, sqlTokens } from './sql-tokens.ts';

const comparisons: Readonly<Record<string, readonly string[]>> = {
  '=': ['<>'],
  '<>': ['='],
  '!=': ['='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};

/** The changes of one SQL statement, or of the body of a function. */
export function sqlEdits(text: string): Edit[] {
  const tokens = sqlTokens(text);
  return tokens.flatMap((token, n) => [
    ...comparisonEdits(tokens, n),
    ...constantEdits(tokens, n),
    ...clauseEdits(tokens, n),
    ...callEdits(text, tokens, n),
    ...conditionEdits(tokens, n),
    ...(token.text === 'not' ? notEdits(tokens, n) : []),
  ]);
}

/** The changes of a function file: of its body, between `as $$` and the last `$$`. */
export function functionEdits(text: string): Edit[] {
  const start = text.indexOf(' as $$') + ' as $$'.length;
  return sqlEdits(text.slice(start, text.lastIndexOf('$$'))).map((edit) => ({
    ...edit,
    start: edit.start + start,
    end: edit.end + start,
  }));
}

const replace = (kind: Edit['kind'], { start, end }: SqlToken, after: string): Edit => ({ kind, start, end, after });

function comparisonEdits(tokens: readonly SqlToken[], n: number): Edit[] {
  const token = tokens[n];
  if (token === undefined) return [];
  if (token.text === 'is') {
    const [next, second] = [tokens[n + 1], tokens[n + 2]];
    if (next?.text === 'not') return [{ kind: 'comparison', start: token.end, end: next.end, after: '' }];
    // `is null` and `is distinct from`.
    if (next?.text === 'null' || (next?.text === 'distinct' && second?.text === 'from'))
      return [{ kind: 'comparison', start: token.end, end: token.end, after: ' not' }];
  }
  if (token.kind !== 'symbol' || (token.text === '=' && isAssignment(tokens, n))) return [];
  return (comparisons[token.text] ?? []).map((after) => replace('comparison', token, after));
}

const governing = ['set', 'using', 'where', 'on', 'and', 'or', 'when', 'if', 'select', 'not', 'then', 'else', 'elsif'];

/** Whether a `=` belongs to `update … set a = 1`, to `set a = 1`, or to the options of `raise … using`. */
function isAssignment(tokens: readonly SqlToken[], n: number): boolean {
  const depth = tokens[n]?.depth ?? 0;
  for (let at = n - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token === undefined || token.depth < depth) return false;
    if (token.depth === depth && token.kind === 'word' && governing.includes(token.text))
      return token.text === 'set' || token.text === 'using';
  }
  return false;
}

function constantEdits(tokens: readonly SqlToken[], n: number): Edit[] {
  const token = tokens[n];
  if (token?.text === 'true' || token?.text === 'false')
    return [replace('constant', token, token.text === 'true' ? 'false' : 'true')];
  if (token?.kind !== 'number' || isPosition(tokens, n)) return [];
  const more = replace('constant', token, String(Number(token.text) + 1));
  return Number(token.text) === 0 ? [more] : [more, replace('constant', token, '0')];
}

/** Whether a number names a column, as in `group by 1, 2`, or stands for nothing, as in `perform 1 from`. */
function isPosition(tokens: readonly SqlToken[], n: number): boolean {
  if (tokens[n + 1]?.text === 'from') return true;
  let at = n - 1;
  while (tokens[at]?.text === ',' || tokens[at]?.kind === 'number') at--;
  return tokens[at]?.text === 'by';
}

/** Drops `for update …` and `on conflict … do nothing`. */
function clauseEdits(tokens: readonly SqlToken[], n: number): Edit[] {
  const token = tokens[n];
  const next = tokens[n + 1];
  if (token === undefined || next === undefined) return [];
  const drop = (last: SqlToken | undefined): Edit[] =>
    last === undefined ? [] : [{ kind: 'clause', start: token.start, end: last.end, after: '' }];
  if (token.text === 'for' && next.text === 'update') {
    const words = tokens.slice(n + 1, n + 6);
    const after = words.findIndex(({ text, kind }) => kind !== 'word' || text === 'returning');
    return drop(after === -1 ? undefined : words[after - 1]);
  }
  if (token.text === 'on' && next.text === 'conflict') {
    const nothing = tokens.findIndex(({ text }, at) => at > n && text === 'do') + 1;
    return tokens[nothing]?.text === 'nothing' ? drop(tokens[nothing]) : [];
  }
  return [];
}

/** Drops a statement of a function that is a call or a deletion: `perform f();`. */
function callEdits(text: string, tokens: readonly SqlToken[], n: number): Edit[] {
  const token = tokens[n];
  const isStart = ['begin', 'then', 'else', 'loop', ';'].includes(tokens[n - 1]?.text ?? '');
  if (token === undefined || !isStart || !['perform', 'delete', 'insert', 'execute'].includes(token.text)) return [];
  const end = tokens.find(({ text: each, start }) => start > token.start && each === ';')?.start;
  if (end === undefined || / into [\s\S]*$/.test(text.slice(token.start, end).replace(/^insert into/, ''))) return [];
  return [{ kind: 'call', start: token.start, end, after: 'null' }];
}

function notEdits(tokens: readonly SqlToken[], n: number): Edit[] {
  const token = tokens[n];
  const before = tokens[n - 1]?.text ?? '';
  const next = tokens[n + 1]?.text ?? '';
  if (token === undefined || before === 'is' || next === 'null' || next === 'materialized') return [];
  return [replace('boolean', token, '')];
}
