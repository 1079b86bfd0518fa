import { text } from '../shared/text-rules.ts';
import { maxConditionLength, parseCondition } from './parse.ts';
import type { VariableName } from './tree.ts';

/**
 * The schema of a valid condition. An error names the position: `line 1, column 13: expected a text in quotes, found 5`.
 *
 * @param variables those that it may name.
 * @param examples the first is also in the error of a blank text.
 */
export const conditionText = (variables: readonly VariableName[], examples: readonly [string, ...string[]]) =>
  text(maxConditionLength)
    .superRefine((given, context) => {
      // A text that is too long or cannot be stored has only that error.
      if (context.issues.length > 0) return;
      if (given.trim() === '') {
        context.addIssue(`must not be blank; a condition is, for example, ${examples[0]}`);
        return;
      }
      const parsed = parseCondition(given, variables);
      if (!parsed.ok) context.addIssue(`line ${parsed.line}, column ${parsed.column}: ${parsed.message}`);
    })
    .meta({ examples: [examples.at(-1)] });
