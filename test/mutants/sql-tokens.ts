/** A token of SQL or PL/pgSQL. Comments and white space are none. */
export interface SqlToken {
  /** `quote`: the `$$` or `$q$` around a text. The text is read as SQL, because in our functions it is. */
  kind: 'word' | 'number' | 'string' | 'symbol' | 'quote' | 'parameter';
  /** Words in lower case. */
  text: string;
  start: number;
  end: number;
  /** How many parentheses, brackets and `case` are open around the token. The delimiters themselves are outside. */
  depth: number;
}

const patterns: [SqlToken['kind'] | null, RegExp][] = [
  [null, /\s+/y],
  [null, /--[^\n]*/y],
  [null, /\/\*[\s\S]*?\*\//y],
  ['string', /'(?:[^']|'')*'/y],
  // A quoted identifier.
  ['string', /"[^"]*"/y],
  ['quote', /\$(?:[a-z_]\w*)?\$/iy],
  ['parameter', /\$\d+/y],
  ['number', /\d+(?:\.\d+)?/y],
  ['word', /[a-z_]\w*/iy],
  ['symbol', /::|:=|=>|<>|!=|<=|>=|\|\||->>|->|[\s\S]/y],
];

/** Splits a text into tokens: https://www.postgresql.org/docs/current/sql-syntax-lexical.html, as far as we use it. */
export function sqlTokens(text: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  const open: string[] = [];
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    at = token.end;
    if (token.kind === null) continue;
    const { kind, start, end } = token;
    const value = kind === 'word' ? token.text.toLowerCase() : token.text;
    // `end if` and the `end` of a block close no `case`.
    if ((kind === 'symbol' && /^[)\]]$/.test(value)) || (value === 'end' && open.at(-1) === 'case')) open.pop();
    tokens.push({ kind, text: value, start, end, depth: open.length });
    if ((kind === 'symbol' && /^[([]$/.test(value)) || (kind === 'word' && value === 'case')) open.push(value);
  }
  return tokens;
}

function tokenAt(
  text: string,
  at: number,
): { kind: SqlToken['kind'] | null; text: string; start: number; end: number } {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return { kind, text: found, start: at, end: at + found.length };
  }
  throw new Error(`no token at ${at}`);
}
