import type { Content } from '../conditions/content.ts';
import { type ContentNeeds, contentNeeds } from '../conditions/content-needs.ts';
import { evaluate } from '../conditions/evaluate.ts';
import { parsedCondition } from '../conditions/parsed.ts';
import type { Variables } from '../conditions/tree.ts';
import type { Work } from '../conditions/work.ts';
import type { DestinationVariables } from './destinations/destination-condition.ts';

export type Match = { ok: true; matches: boolean } | { ok: false; error: string };

/** An event as conditions see it, with what its conditions may still take. */
export interface Judged {
  variables: DestinationVariables;
  content: Content;
  work: Work;
}

/**
 * Whether a destination with this condition is notified; null means `delivery_failed`. Conditions are parsed before
 * they are stored, so one that does not parse was stored by another version of the gateway. `error` then names the
 * mistake.
 */
export function matchCondition(condition: string | null, { variables, content, work }: Judged): Match {
  return condition === null
    ? { ok: true, matches: variables.delivery_failed }
    : meetsCondition(condition, { variables, content, work });
}

/** Whether a condition holds for an event, or for an incident, which has fewer variables and no content. */
export function meetsCondition(
  condition: string,
  { variables, content, work }: { variables: Variables; content?: Content; work?: Work },
): Match {
  const result = parsedCondition(condition);
  if (result.ok) return { ok: true, matches: evaluate(result.condition, variables, content, work) };
  return {
    ok: false,
    error: `its condition does not parse: line ${result.line}, column ${result.column}: ${result.message}`,
  };
}

/** What a destination's condition reads of the content of events. */
export function needsOf(condition: string | null): ContentNeeds {
  const result = condition === null ? null : parsedCondition(condition);
  return result?.ok ? contentNeeds(result.condition) : { payload: false, headers: false };
}
