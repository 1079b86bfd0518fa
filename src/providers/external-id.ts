import { createHash } from 'node:crypto';
import { maxTextLength, storableText } from '../shared/text.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { ExternalId } from './provider.ts';

/** An id that the provider gave, made storable. `id` must not be empty. */
export function ownId(id: string): ExternalId {
  return { id: storableText(id), own: true };
}

/**
 * `gen-<timestamp>-<payload_hash>` (R44), for webhooks that name no event: milliseconds of receipt and the first
 * 16 hexadecimal digits of SHA-256 over the body.
 */
export function generatedId(request: InboundRequest): ExternalId {
  return { id: `gen-${request.receivedAt.getTime()}-${request.bodyHash().slice(0, 16)}`, own: false };
}

/** The id that the provider gave, or where it gave none (null, empty) one that is made here. */
export function ownOrGeneratedId(request: InboundRequest, id: string | null | undefined): ExternalId {
  return id ? ownId(id) : generatedId(request);
}

/** The deduplication key of providers that name each event or delivery once and for all. Generated ids are never deduplicated. */
export function dedupById(request: InboundRequest, externalId: ExternalId): Uint8Array | null {
  const { id, own } = externalId;
  // Of a cut id only the beginning is known.
  if (id.length >= maxTextLength) return dedupByIdAndBytes(request, externalId);
  return own ? createHash('sha256').update(id).digest() : null;
}

/**
 * The deduplication key of providers whose ids need not be unique: the same id and the same bytes. A sender that
 * reuses an id for something new is never taken for a duplicate. Generated ids are never deduplicated.
 */
export function dedupByIdAndBytes(request: InboundRequest, { id, own }: ExternalId): Uint8Array | null {
  if (!own) return null;
  // The length goes first, so that no end of an id can pass for the beginning of a body.
  return createHash('sha256')
    .update(`${Buffer.byteLength(id)}:${id}`)
    .update(request.body)
    .digest();
}
