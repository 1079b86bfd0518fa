import { lastAttempt } from './gateway.ts';

interface Attempt {
  generation: number;
  trigger: string;
  number: number;
  outcome: string;
}

/** An event's attempts as `<generation> <trigger> <number> <outcome>`, oldest first. */
export function attemptsOf(event: { delivery_history: Attempt[] }): string[] {
  return event.delivery_history.map((a) => `${a.generation} ${a.trigger} ${a.number} ${a.outcome}`);
}

/** All attempts of a generation with a short schedule, each with an HTTP error. */
export function allFailed(generation = 0): string[] {
  return Array.from({ length: lastAttempt }, (_, i) => `${generation} schedule ${i + 1} http_error`);
}

/** Both states of an event, as `<status>/<delivery_status>`. */
export function statesOf(event: { status: string; delivery_status: string | null }): string {
  return `${event.status}/${event.delivery_status}`;
}

/** All texts in a value, such as a workflow history, with bytes read as UTF-8. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...textsIn(part)]);
}
