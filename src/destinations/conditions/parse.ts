import { tokenMatcher } from 'chevrotain';
import { ConditionError, placeOf } from './condition-error.ts';
import { ConditionGrammar } from './grammar.ts';
import { lexer, Unclosed } from './tokens.ts';
import type { Condition } from './tree.ts';

/** As long as the column of the table, in UTF-16 units as JavaScript counts. */
export const maxConditionLength = 1000;

/** `line` and `column` count from 1, columns in characters; `message` says what was expected there and what was found. */
export type ParsedCondition =
  | { ok: true; condition: Condition }
  | { ok: false; line: number; column: number; message: string };

/** Made once, as taking the grammar down costs milliseconds; each text that it is given starts it anew. */
const grammar = new ConditionGrammar();

/**
 * Parses a condition (docs/notifications.md) and checks that all it compares is of one kind. Never throws: whatever is no
 * condition, of any length and depth, is an error with its place.
 */
export function parseCondition(text: string): ParsedCondition {
  if (text.length > maxConditionLength) {
    const expected = `at most ${maxConditionLength} characters`;
    return refused(text, new ConditionError(maxConditionLength, expected, `${text.length}`));
  }
  try {
    grammar.input = lexer.tokenize(text).tokens;
    const condition = grammar.condition();
    const [error] = grammar.errors;
    if (!error) return { ok: true, condition };
    const { token, message } = error;
    if (!tokenMatcher(token, Unclosed)) return refused(text, ConditionError.at(token, message));
    const quote = token.image.charAt(0);
    return refused(text, new ConditionError(token.startOffset, `a closing ${quote} for this text`, null));
  } catch (error) {
    if (error instanceof ConditionError) return refused(text, error);
    throw error;
  }
}

function refused(text: string, { offset, message }: ConditionError): ParsedCondition {
  return { ok: false, ...placeOf(text, offset), message };
}
