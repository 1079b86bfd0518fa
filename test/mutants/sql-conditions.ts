import type { Edit } from './mutant.ts';
import type { SqlToken } from './sql-tokens.ts';

/** What a condition stands behind. */
const openers = ['where', 'on', 'having', 'when', 'if', 'elsif', '(', 'and', 'or', 'not'];
/** What a condition ends before, on its level of parentheses. */
const closers = new Set(
  'and or group order limit for returning union on then when else end from join left cross inner where loop select insert update delete as into using set , ;'.split(
    ' ',
  ),
);

/** Drops a condition of `and` or `or`, swaps the two words, and forces the conditions of `where`, `if` and `when`. */
export function conditionEdits(tokens: readonly SqlToken[], n: number): Edit[] {
  const token = tokens[n];
  if (token?.kind !== 'word' && token?.text !== '(') return [];
  const first = tokens[n + 1];
  if (first === undefined || !openers.includes(token.text)) return [];
  const last = endOf(tokens, n + 1, token.text === '(' ? token.depth + 1 : token.depth);
  const next = last === null ? undefined : tokens[tokens.indexOf(last) + 1];
  if (last === null || isForPlanner(tokens.slice(n + 1, tokens.indexOf(last) + 1))) return [];
  const isJoined = next?.text === 'and' || next?.text === 'or';
  switch (token.text) {
    case 'and':
    case 'or':
      if (isOfBetween(tokens, n)) return [];
      return [
        { kind: 'boolean', start: token.start, end: token.end, after: token.text === 'and' ? 'or' : 'and' },
        { kind: 'clause', start: token.start, end: last.end, after: '' },
      ];
    case 'if':
    case 'elsif':
    case 'when':
      // The condition as a whole. `end if` has none, and `if exists` of a declaration ends elsewhere.
      return next === undefined || tokens[n - 1]?.text === 'end'
        ? []
        : forced(tokens, n, token.depth).concat(isJoined ? dropped(first, next) : []);
    case 'where':
      return isJoined ? dropped(first, next) : [{ kind: 'clause', start: first.start, end: last.end, after: 'true' }];
    case 'on':
      return isJoined && first.text !== 'conflict' ? dropped(first, next) : [];
    case 'having':
    case '(':
      return isJoined ? dropped(first, next) : [];
    default:
      return [];
  }
}

/** Conditions such as `id between p_low and p_high`, which change no result: by them PostgreSQL prunes partitions. */
const isForPlanner = (condition: readonly SqlToken[]) =>
  /^\S+ \. id between (p_low and p_high|% l and % l|ids \[ 1 \] and .*)$/.test(
    condition.map(({ text }) => text).join(' '),
  );

const dropped = (first: SqlToken, joint: SqlToken): Edit[] => [
  { kind: 'clause', start: first.start, end: joint.end, after: '' },
];

/** Forces the condition between a word and its `then`. */
function forced(tokens: readonly SqlToken[], n: number, depth: number): Edit[] {
  const then = tokens.findIndex((token, at) => at > n && token.text === 'then' && token.depth === depth);
  const [first, last] = [tokens[n + 1], tokens[then - 1]];
  if (then === -1 || first === undefined || last === undefined) return [];
  return ['true', 'false'].map((after) => ({ kind: 'branch', start: first.start, end: last.end, after }));
}

/** The last token of the condition that begins at `from`; null if there is none. */
function endOf(tokens: readonly SqlToken[], from: number, depth: number): SqlToken | null {
  let last: SqlToken | null = null;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.depth < depth || token.kind === 'quote') break;
    if (token.depth === depth && closers.has(token.text) && !isPartOfComparison(tokens, at)) break;
    // The `)` that ends the level has its outer depth, so a deeper `)` belongs to the condition.
    last = token;
  }
  return last;
}

/** The `from` of `is distinct from`, the `and` of `between`, and the `end` of a `case` in a condition. */
const isPartOfComparison = (tokens: readonly SqlToken[], at: number): boolean => {
  const text = tokens[at]?.text;
  if (text === 'from') return tokens[at - 1]?.text === 'distinct';
  if (text === 'and') return isOfBetween(tokens, at);
  return text === 'end' && isEndOfCase(tokens, at);
};

function isEndOfCase(tokens: readonly SqlToken[], at: number): boolean {
  const depth = tokens[at]?.depth ?? 0;
  // Inside of a `case`, tokens are deeper than its `end`.
  return (tokens[at - 1]?.depth ?? 0) > depth;
}

function isOfBetween(tokens: readonly SqlToken[], n: number): boolean {
  const depth = tokens[n]?.depth ?? 0;
  for (let at = n - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token === undefined || token.depth < depth) return false;
    if (token.depth > depth) continue;
    if (token.text === 'between') return true;
    if (closers.has(token.text) || openers.includes(token.text)) return false;
  }
  return false;
}
