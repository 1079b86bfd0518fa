import { type IToken, tokenMatcher } from 'chevrotain';
import { ConditionError } from './condition-error.ts';
import { Integer, Text } from './tokens.ts';
import type { LiteralValue } from './tree.ts';

const meanings = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['n', '\n'],
  ['t', '\t'],
]);

/** Decodes a text in quotes. @throws ConditionError for an unknown escape */
export function readText({ image, startOffset }: IToken): string {
  return image.slice(1, -1).replaceAll(/\\([\uD800-\uDBFF][\uDC00-\uDFFF]|[\s\S])/g, (written, after, at: number) => {
    const meaning = meanings.get(after);
    if (meaning === undefined)
      throw new ConditionError(startOffset + 1 + at, 'one of the escapes \\\\, \\\', \\", \\n and \\t', written);
    return meaning;
  });
}

const integerWords = `a whole number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

/** Decodes an integer. @throws ConditionError unless it is a safe integer */
function readInteger({ image, startOffset }: IToken): number {
  const value = Number(image);
  if (!/^[+-]?\d+$/.test(image) || !Number.isSafeInteger(value))
    throw new ConditionError(startOffset, integerWords, image);
  // Turns -0 into 0.
  return value === 0 ? 0 : value;
}

/** Decodes a literal's token. @throws ConditionError */
export function readLiteral(token: IToken): LiteralValue {
  if (tokenMatcher(token, Text)) return readText(token);
  if (tokenMatcher(token, Integer)) return readInteger(token);
  return token.image.toLowerCase() === 'true';
}
