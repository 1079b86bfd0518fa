import { type Fields, isObject } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';

/** What a webhook is called whose events are not of one type. */
const mixedType = 'mixed';

/** As many events with an id each hardly fit into 1 MiB; an array of more is no batch, and not worth going through. */
const maxEvents = 10_000;

/** The events of a payload that may be a JSON array of them; an object is one event. Whatever is no object is left out. */
export function eventsIn(request: InboundRequest): readonly Fields[] {
  const json = request.json();
  const events: readonly unknown[] = Array.isArray(json) ? json : [json];
  return events.length > maxEvents ? [] : events.filter(isObject);
}

/** What all the events are, {@link mixedType} when they differ, null when there are none or none has a type. */
export function commonType(types: readonly (string | null)[]): string | null {
  const different = new Set(types);
  if (different.size > 1) return mixedType;
  return types[0] ?? null;
}
