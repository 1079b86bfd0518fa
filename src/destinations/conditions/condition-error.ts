import { EOF, type IToken, tokenMatcher } from 'chevrotain';

const shownCharacters = 40;

/** A piece of a condition as an error shows it: on one line, printable, and not too long. */
function shown(image: string): string {
  const characters = [...image];
  const head = characters.slice(0, shownCharacters).join('');
  const printable = head.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
  return characters.length > shownCharacters ? `${printable}…` : printable;
}

/** What is wrong with a condition, for whoever wrote it. Thrown and caught within this folder. */
export class ConditionError extends Error {
  override name = 'ConditionError';
  /** Where, in UTF-16 units from 0; infinite for the end. */
  readonly offset: number;

  /** @param found as it stands there; null where the text ends. */
  constructor(offset: number, expected: string, found: string | null) {
    super(`expected ${expected}, found ${found === null ? 'the end' : shown(found)}`);
    this.offset = offset;
  }

  /** The same about a token. */
  static at(token: IToken, expected: string): ConditionError {
    return tokenMatcher(token, EOF)
      ? new ConditionError(Number.POSITIVE_INFINITY, expected, null)
      : new ConditionError(token.startOffset, expected, token.image);
  }
}

/** Line and column of an offset, both from 1; columns count characters, as one emoji is one. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
