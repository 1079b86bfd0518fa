import { isRecord } from '../shared/is-record.ts';
import { dedupById, dedupByIdAndBytes } from './external-id.ts';
import { type Fields, stringField } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { ExternalId } from './provider.ts';

/** The type of a webhook whose events have different types. */
const mixedType = 'mixed';

/** More events with an id each hardly fit into 1 MiB, so a longer array is not a batch and is not read. */
const maxEvents = 10_000;

/** The events of a payload: the objects of a JSON array, or the single JSON object. Other values are skipped. */
export function eventsIn(request: InboundRequest): readonly Fields[] {
  const json = request.json();
  const events: readonly unknown[] = Array.isArray(json) ? json : [json];
  return events.length > maxEvents ? [] : events.filter(isRecord);
}

/**
 * The common type of all events; {@link mixedType} when they differ; null when there are no events or none has a type.
 */
export function commonType(types: readonly (string | null)[]): string | null {
  const different = new Set(types);
  if (different.size > 1) return mixedType;
  return types[0] ?? null;
}

/** The first id that an event of the payload has in the field `name`. */
export function firstId(request: InboundRequest, name: string): string | undefined {
  return eventsIn(request)
    .map((event) => stringField(event, name) ?? '')
    .find((id) => id !== '');
}

/** A single event: by its id. A batch: by id and bytes, because another batch may begin with the same event. */
export function dedupBatch(request: InboundRequest, externalId: ExternalId): Uint8Array | null {
  return eventsIn(request).length === 1 ? dedupById(request, externalId) : dedupByIdAndBytes(request, externalId);
}
