/** A token of a condition with its place in the text. */
export interface Token {
  kind: 'word' | 'number' | 'text' | 'open-text' | 'sign';
  image: string;
  from: number;
  to: number;
}

// As in src/conditions/tokens.ts. An open text has no closing quote yet.
const pattern =
  /\s*(?:(?<word>[A-Za-z_]\w*)|(?<number>[+-]?\d[\w.]*)|(?<text>"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|(?<open>["'][\s\S]*)|(?<sign>[=!<>]=|\S))/gy;

/** The tokens of a condition that may be incomplete. */
export function tokensOf(text: string): Token[] {
  return [...text.matchAll(pattern)].map(({ 0: all, index, groups = {} }) => {
    const image = all.trimStart();
    const from = index + all.length - image.length;
    return { kind: kindOf(groups), image, from, to: index + all.length };
  });
}

function kindOf(groups: Record<string, string | undefined>): Token['kind'] {
  if (groups.word !== undefined) return 'word';
  if (groups.number !== undefined) return 'number';
  if (groups.text !== undefined) return 'text';
  return groups.open === undefined ? 'sign' : 'open-text';
}

/** The content of a text token, without quotes and escapes. */
export const contentOf = ({ image, kind }: Token): string =>
  image
    .slice(1, kind === 'text' ? -1 : undefined)
    .replaceAll(/\\([\s\S])/g, (_, escaped: string) => characterOf(escaped));

const characterOf = (escaped: string) => ({ n: '\n', t: '\t' })[escaped] ?? escaped;

/** A value as it is written in a condition. */
export function literalOf(value: string | number, quote = '"'): string {
  if (typeof value === 'number') return String(value);
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t');
  return `${quote}${escaped}${quote}`;
}
