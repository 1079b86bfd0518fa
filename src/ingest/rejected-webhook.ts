import { v7 as uuidv7 } from 'uuid';
import type { InboundAccount } from '../accounts/account-directory.ts';
import type { RejectedEvent } from '../events/rejections.ts';
import { generatedId } from '../providers/external-id.ts';
import type { Header, InboundRequest } from '../providers/inbound-request.ts';
import type { ExternalId, Provider } from '../providers/provider.ts';
import { storedHeaders } from '../providers/stored-headers.ts';

/** Larger unverified bodies are not parsed, because anyone can send them. Most providers' webhooks are smaller. */
const maxReadBytes = 16 * 1024;
/** The headers' JSON, in bytes. Providers send 1 to 2 KB of headers; Node accepts 16 KiB. */
const maxHeaderBytes = 8 * 1024;
/** Characters. A content type is short, and the full header is stored with the others. */
const maxContentTypeLength = 255;

/**
 * Type and id of a webhook that failed verification. With a body over 16 KiB, the type is null and the id generated.
 */
function typeAndId(
  provider: Provider,
  config: object,
  request: InboundRequest,
): { eventType: string | null; externalId: ExternalId } {
  if (request.body.length > maxReadBytes) return { eventType: null, externalId: generatedId(request) };
  return { eventType: provider.eventType(request, config), externalId: provider.externalId(request, config) };
}

/**
 * The stored form of a webhook that failed verification: the beginning of its body, the hash of the whole body, and the
 * headers that fit into 8 KiB.
 *
 * @param bodyBytes the number of bytes of the body to store.
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

/** The headers that fit into `maxBytes`, in their order. A header that does not fit is skipped; later ones may fit. */
function withinBytes(headers: readonly Header[], maxBytes: number): Header[] {
  let left = maxBytes;
  return headers.filter((header) => {
    const bytes = Buffer.byteLength(JSON.stringify(header)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
