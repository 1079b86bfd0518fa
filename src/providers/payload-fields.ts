import { storableText } from '../shared/text.ts';
import { generatedId, ownId } from './external-id.ts';
import { identifierAt, stringField, topLevelFields } from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { ExternalId } from './provider.ts';

/** Spec 6.2; its last candidate `uuid_id` is read as `uuid`, then `_id`. */
const idFields = ['id', 'messageId', 'message_id', 'eventId', 'event_id', 'uuid', '_id'];

const typeFields = ['type', 'event', 'event_type', 'eventType'];

/** The first string among `type`, `event`, `event_type` and `eventType`, truncated to the stored length; else null. */
export function payloadType(request: InboundRequest): string | null {
  const fields = topLevelFields(request);
  if (!fields) return null;
  for (const name of typeFields) {
    const type = stringField(fields, name);
    if (type !== null) return storableText(type);
  }
  return null;
}

/**
 * The first id field with a non-empty string or a number. Other bodies, such as arrays, forms and XML, get a `gen-` id.
 */
export function payloadId(request: InboundRequest): ExternalId {
  for (const name of idFields) {
    const id = identifierAt(request, name);
    if (id !== null) return ownId(id);
  }
  return generatedId(request);
}
