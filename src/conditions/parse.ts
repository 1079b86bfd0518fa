import { tokenMatcher } from 'chevrotain';
import { ConditionError, placeOf } from './condition-error.ts';
import { ConditionGrammar } from './grammar.ts';
import { lexer, Unclosed } from './tokens.ts';
import { type Condition, type VariableName, variableNames } from './tree.ts';

/** The length of the database column. Counted in UTF-16 units, which are never fewer than characters. */
export const maxConditionLength = 1000;

/**
 * `line` and `column` start at 1; columns count characters. `offset` counts UTF-16 units from 0, as editors in browsers do.
 * `message` names the expected and the found input.
 */
export type ParsedCondition =
  | { ok: true; condition: Condition }
  | { ok: false; line: number; column: number; offset: number; message: string };

/** Created once, because recording the grammar takes milliseconds. Setting `input` resets it. */
const grammar = new ConditionGrammar();

/**
 * Parses a condition (docs/notifications.md) and checks that it compares only values of the same kind. Never throws: an
 * invalid text of any length and depth results in an error with its position.
 *
 * @param variables those that it may name.
 */
export function parseCondition(text: string, variables: readonly VariableName[] = variableNames): ParsedCondition {
  if (text.length > maxConditionLength) {
    const expected = `at most ${maxConditionLength} characters`;
    return refused(text, new ConditionError(maxConditionLength, expected, `${text.length}`));
  }
  try {
    grammar.variables = variables;
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
  return { ok: false, ...placeOf(text, offset), offset: Math.min(offset, text.length), message };
}
