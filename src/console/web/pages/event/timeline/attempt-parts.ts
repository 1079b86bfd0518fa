import type { Attempt } from '../use-event.ts';

export interface AttemptPart {
  name: 'waited' | 'connect' | 'answer' | 'rest';
  label: string;
  ms: number;
}

/**
 * The parts of an attempt in their order. Attempts of older releases have no parts but their duration. `waited_ms` is
 * before the attempt began, so it is not in its duration.
 */
export function attemptParts({ waited_ms, connect_ms, answer_ms, duration_ms }: Attempt): AttemptPart[] {
  const parts: AttemptPart[] = [];
  if (waited_ms !== null && waited_ms >= 1) parts.push({ name: 'waited', label: 'waited', ms: waited_ms });
  if (connect_ms === null && answer_ms === null) return [...parts, { name: 'rest', label: 'took', ms: duration_ms }];
  const connectMs = connect_ms ?? 0;
  if (connect_ms !== null) parts.push({ name: 'connect', label: 'connected in', ms: connectMs });
  if (answer_ms === null) return [...parts, { name: 'rest', label: 'no answer for', ms: duration_ms - connectMs }];
  parts.push({ name: 'answer', label: 'answered after', ms: answer_ms });
  const restMs = duration_ms - connectMs - answer_ms;
  if (restMs >= 0.5) parts.push({ name: 'rest', label: 'body read in', ms: restMs });
  return parts;
}
