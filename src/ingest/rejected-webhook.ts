import { v7 as uuidv7 } from 'uuid';
import type { InboundAccount } from '../accounts/account-directory.ts';
import type { RejectedEvent } from '../events/rejections.ts';
import { generatedId } from '../providers/external-id.ts';
import type { Header, InboundRequest } from '../providers/inbound-request.ts';
import type { ExternalId, Provider } from '../providers/provider.ts';
import { storedHeaders } from '../providers/stored-headers.ts';

/** Anyone can send a larger body to have it parsed. Most providers' webhooks are smaller. */
const maxReadBytes = 16 * 1024;
/** Bytes of JSON. Providers send 1 to 2 KB of headers; Node takes 16 KiB. */
const maxHeaderBytes = 8 * 1024;
/** A content type is a few words; the header itself is kept with the others. */
const maxContentTypeLength = 255;

/** Type and id of a webhook that failed verification: none, and a `gen-` id, of one with a body over 16 KiB. */
function typeAndId(
  provider: Provider,
  config: object,
  request: InboundRequest,
): { eventType: string | null; externalId: ExternalId } {
  if (request.body.length > maxReadBytes) return { eventType: null, externalId: generatedId(request) };
  return { eventType: provider.eventType(request, config), externalId: provider.externalId(request, config) };
}

/**
 * What is kept of a webhook that failed verification: the beginning of its body, the hash of all of it, and its headers
 * as far as they fit into 8 KiB.
 *
 * @param bodyBytes how much of the body is kept.
 */
export function rejectedWebhook(
  provider: Provider,
  account: InboundAccount,
  request: InboundRequest,
  { reason, bodyBytes }: { reason: string; bodyBytes: number },
): RejectedEvent {
  const { eventType, externalId } = typeAndId(provider, account.config ?? {}, request);
  const all = storedHeaders(provider, request, account.secrets);
  const headers = withinBytes(all, maxHeaderBytes);
  return {
    id: uuidv7({ msecs: request.receivedAt.getTime() }),
    accountId: account.id,
    provider: provider.name,
    accountSlug: account.accountSlug,
    appKey: account.appKey,
    eventType,
    externalId: externalId.id,
    receivedAt: request.receivedAt,
    headers: JSON.stringify(headers),
    headersTruncated: headers.length < all.length,
    contentType: request.header('content-type')?.slice(0, maxContentTypeLength) ?? null,
    body: request.body.subarray(0, bodyBytes),
    payloadBytes: request.body.length,
    payloadSha256: Buffer.from(request.bodyHash(), 'hex'),
    reason,
  };
}

/** The headers that fit, in their order: one that is too long leaves room for those after it. */
function withinBytes(headers: readonly Header[], maxBytes: number): Header[] {
  let left = maxBytes;
  return headers.filter((header) => {
    const bytes = Buffer.byteLength(JSON.stringify(header)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
