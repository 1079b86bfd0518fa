import { LRUCache } from 'lru-cache';
import { evaluate } from './destinations/conditions/evaluate.ts';
import { type ParsedCondition, parseCondition } from './destinations/conditions/parse.ts';
import type { Variables } from './destinations/conditions/tree.ts';

/** Cached, because parsing takes about 0.1 ms and thousands of events may fail together. */
const parsed = new LRUCache<string, ParsedCondition>({ max: 1_000, memoMethod: (text) => parseCondition(text) });

export type Match = { ok: true; matches: boolean } | { ok: false; error: string };

/**
 * Whether a destination with this condition is notified; null means `delivery_failed`. Conditions are parsed before
 * they are stored, so one that does not parse was stored by another version of the gateway. `error` then names the
 * mistake.
 */
export function matchCondition(condition: string | null, variables: Variables): Match {
  if (condition === null) return { ok: true, matches: variables.delivery_failed };
  const result = parsed.memo(condition);
  if (result.ok) return { ok: true, matches: evaluate(result.condition, variables) };
  return {
    ok: false,
    error: `its condition does not parse: line ${result.line}, column ${result.column}: ${result.message}`,
  };
}
