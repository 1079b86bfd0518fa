import { hash } from 'node:crypto';
import { maxTextLength, storableText } from '../shared/text.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { ExternalId } from './provider.ts';

/** The provider's own id in a form that PostgreSQL can store. `id` must not be empty. */
export function ownId(id: string): ExternalId {
  return { id: storableText(id), own: true };
}

/**
 * A generated id, `gen-<timestamp>-<payload_hash>` (R44), for webhooks without an id of their own: the time of receipt
 * in milliseconds since 1970, and the first 16 hexadecimal digits of the body's SHA-256.
 */
export function generatedId(request: InboundRequest): ExternalId {
  return { id: `gen-${request.receivedAt.getTime()}-${request.bodyHash().slice(0, 16)}`, own: false };
}

/** The provider's own id; a generated one when it is null, undefined or empty. */
export function ownOrGeneratedId(request: InboundRequest, id: string | null | undefined): ExternalId {
  return id ? ownId(id) : generatedId(request);
}

/**
 * The deduplication key for providers that give each event or delivery a unique id. Generated ids are never
 * deduplicated.
 */
export function dedupById(request: InboundRequest, externalId: ExternalId): Uint8Array | null {
  const { id, own } = externalId;
  // The id was truncated, so two different ids may look equal here.
  if (id.length >= maxTextLength) return dedupByIdAndBytes(request, externalId);
  return own ? hash('sha256', id, 'buffer') : null;
}

/**
 * The deduplication key for providers whose ids may not be unique: the id and the body. A sender that reuses an id for
 * a different body does not cause a duplicate. Generated ids are never deduplicated.
 */
export function dedupByIdAndBytes(request: InboundRequest, { id, own }: ExternalId): Uint8Array | null {
  if (!own) return null;
  // The length prefix separates id and body: the end of an id cannot be moved to the beginning of the body.
  return hash('sha256', Buffer.concat([Buffer.from(`${Buffer.byteLength(id)}:${id}`), request.body]), 'buffer');
}
