import { text } from '../shared/text-rules.ts';
import { maxConditionLength, parseCondition } from './parse.ts';

/** A valid condition. An error names the position: `line 1, column 13: expected a text in quotes, found 5`. */
export const conditionText = text(maxConditionLength)
  .superRefine((given, context) => {
    // A text that is too long or cannot be stored has only that error.
    if (context.issues.length > 0) return;
    if (given.trim() === '') {
      context.addIssue('must not be blank; a condition is, for example, delivery_failed');
      return;
    }
    const parsed = parseCondition(given);
    if (!parsed.ok) context.addIssue(`line ${parsed.line}, column ${parsed.column}: ${parsed.message}`);
  })
  .meta({ examples: ['delivery_failed and provider == "generic"'] });
