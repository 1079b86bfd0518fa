import { type IToken, tokenMatcher } from 'chevrotain';
import { ConditionError } from './condition-error.ts';
import { maxProgramSize, mistakeOf } from './pattern.ts';
import { Numeral, Text } from './tokens.ts';
import type { Kind, LiteralValue } from './tree.ts';

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

/** Decodes the pattern of `matches`. @throws ConditionError when it is not a pattern of RE2, or too large a one */
export function readPattern(token: IToken): string {
  const pattern = readText(token);
  const mistake = mistakeOf(pattern);
  if (mistake === 'too long') throw ConditionError.at(token, 'a shorter regular expression, or one with lower counts');
  if (mistake === 'no pattern') throw ConditionError.at(token, 'a regular expression of RE2');
  if (mistake === 'too large')
    throw ConditionError.at(token, `a regular expression of at most ${maxProgramSize} steps`);
  return pattern;
}

/** Decodes an index of a path. @throws ConditionError */
export function readIndex(token: IToken): number {
  const index = Number(token.image);
  if (!/^\d+$/.test(token.image) || !Number.isSafeInteger(index)) throw ConditionError.at(token, 'an index from 0');
  return index;
}

const integerWords = `a whole number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

/** Decodes an integer. @throws ConditionError unless it is a safe integer */
function readInteger({ image, startOffset }: IToken): number {
  const value = Number(image);
  if (!/^[+-]?\d+$/.test(image) || !Number.isSafeInteger(value))
    throw new ConditionError(startOffset, integerWords, image);
  return withoutSign(value);
}

/** Turns -0 into 0. */
const withoutSign = (value: number) => (value === 0 ? 0 : value);

/** Decodes any number. Whole numbers beyond the safe integers are kept as they are. @throws ConditionError */
function readNumber({ image, startOffset }: IToken): number | bigint {
  const value = Number(image);
  if (!/^[+-]?\d+(?:\.\d+)?$/.test(image) || (image.includes('.') && !Number.isFinite(value)))
    throw new ConditionError(startOffset, 'a number such as 503, -7 or 12.5', image);
  if (!Number.isInteger(value) && Number.isFinite(value)) return value;
  if (Number.isSafeInteger(value)) return withoutSign(value);
  // A decimal this large has no fraction as a `number`. It is kept in the same form as a whole number.
  return image.includes('.') ? BigInt(value) : BigInt(image.replace('+', ''));
}

/** Decodes a literal's token. A variable that is a whole number has no other ones. @throws ConditionError */
export function readLiteral(token: IToken, wanted: Kind | null): LiteralValue {
  if (tokenMatcher(token, Text)) return readText(token);
  if (tokenMatcher(token, Numeral)) return wanted === 'integer' ? readInteger(token) : readNumber(token);
  return token.image.toLowerCase() === 'true';
}
