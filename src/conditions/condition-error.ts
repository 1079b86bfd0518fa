import { EOF, type IToken, tokenMatcher } from 'chevrotain';

const shownCharacters = 40;

/** A part of a condition for an error text: on one line, printable, at most 40 characters. */
function shown(image: string): string {
  const characters = [...image];
  const head = characters.slice(0, shownCharacters).join('');
  const printable = head.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
  return characters.length > shownCharacters ? `${printable}…` : printable;
}

/** A mistake in a condition, for its author. Thrown and caught within this folder. */
export class ConditionError extends Error {
  override name = 'ConditionError';
  /** The position in UTF-16 units from 0; infinite for the end. */
  readonly offset: number;

  /** @param found the text at this position; null at the end of the condition. */
  constructor(offset: number, expected: string, found: string | null) {
    super(`expected ${expected}, found ${found === null ? 'the end' : shown(found)}`);
    this.offset = offset;
  }

  /** Creates the error for a token. */
  static at(token: IToken, expected: string): ConditionError {
    return tokenMatcher(token, EOF)
      ? new ConditionError(Number.POSITIVE_INFINITY, expected, null)
      : new ConditionError(token.startOffset, expected, token.image);
  }
}

/** Line and column of an offset, both from 1. Columns count characters, so an emoji counts as one. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
