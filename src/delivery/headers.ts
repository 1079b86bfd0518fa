import { MASKED } from '../secrets/masked.ts';
import { comparableName } from '../shared/reserved-headers.ts';
import { type DroppedHeaders, droppedHeaders } from './dropped-headers.ts';

/** One header line: name and value. Names may repeat and keep their order and case. */
export type Header = readonly [name: string, value: string];

export type DeliveryHeadersInput = {
  /** The provider's headers with secrets masked; values as Node decodes them (latin1). */
  providerHeaders: readonly Header[];
  /** The `content-type` of the inbound request; null: none is sent. */
  contentType: string | null;
  event: {
    /** The webhook: the id of its first event. Null for a test delivery. */
    requestId: string | null;
    /** The name of the consumer. */
    consumer: string;
    provider: string;
    accountSlug: string;
    eventType: string | null;
    externalId: string;
    /** Number of the attempt within its generation and trigger, from 1. */
    attempt: number;
    replay: boolean;
    /** Whether the event was made by a backfill; absent for a test delivery. */
    backfill?: boolean;
    /** True for an operator's test delivery; absent for every real delivery. */
    test?: boolean;
  };
  /** `signature` is null when the account has no delivery secret. */
  webhook: { id: string; timestampS: number; signature: string | null };
  /** The inbound headers that are not forwarded; the built-in ones unless it is given. */
  dropped?: DroppedHeaders;
  /**
   * The trace headers of this request, in place of the sender's. Null or absent while tracing is off: then those of the
   * sender are forwarded like its other headers.
   */
  trace?: readonly Header[] | null;
  /** Headers that the consumer has asked for, in place of the sender's of the same name. */
  added?: readonly Header[];
};

const builtInDropped = droppedHeaders();
/** With them, the sender would decide what the consumer records (https://www.w3.org/TR/trace-context/#security-considerations). */
const isTraceHeader = (compared: string) =>
  compared === 'traceparent' || compared === 'tracestate' || compared === 'baggage';

/** A header name: RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** A field value that reaches every consumer unchanged: RFC 9110, section 5.5, without `obs-text`. */
const plainValue = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/** Percent-encodes bytes that are not printable ASCII, and `%` itself, so that the value can be decoded again. */
function encodeBytes(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    const plain = byte > 0x20 && byte < 0x7f && byte !== 0x25;
    text += plain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

/**
 * Encodes one of the gateway's own values for a header: printable ASCII stays unchanged, any other value is
 * percent-encoded as UTF-8 (docs/delivery.md).
 */
export function headerValue(text: string): string {
  return plainValue.test(text) ? text : encodeBytes(Buffer.from(text, 'utf8'));
}

/** An inbound value for forwarding; null when it was masked or contains characters that no header may have. */
function inboundValue(text: string): string | null {
  if (text.includes(MASKED)) return null;
  if (plainValue.test(text)) return text;
  if (/[\r\n\0]/.test(text)) return null;
  // A latin1 text represents the received bytes, which are nearly always UTF-8. Encoding it as UTF-8 again would
  // corrupt it.
  const isLatin1 = /^[\0-\xff]*$/.test(text);
  return encodeBytes(Buffer.from(text.replace(/^[\t ]+|[\t ]+$/g, ''), isLatin1 ? 'latin1' : 'utf8'));
}

/** The names listed in `Connection` headers, which are also hop-by-hop. */
function namedByConnection(headers: readonly Header[]): Set<string> {
  const names = new Set<string>();
  for (const [name, value] of headers) {
    if (comparableName(name) !== 'connection') continue;
    for (const part of value.split(',')) names.add(comparableName(part.trim()));
  }
  return names;
}

/**
 * The headers of one outbound request, except `host`, `content-length` and `connection`, which the client adds. The
 * provider's headers come first, in their order and case. Hop-by-hop headers, credentials, those that proxies set and
 * those with the gateway's names are dropped. `content-encoding` is kept, because the bytes are sent as received. Every
 * pair is valid for HTTP. Never throws.
 *
 * A new header's name also belongs into `reserved` (shared/reserved-headers.ts), so that no sender can forge it.
 *
 * Source: docs/consumers.md and Standard Webhooks.
 */
export function deliveryHeaders(input: DeliveryHeadersInput): Header[] {
  const { providerHeaders, contentType, event, webhook, dropped = builtInDropped, trace = null, added = [] } = input;
  const headers: Header[] = [];
  const hopByHop = namedByConnection(providerHeaders);
  const replaced = added.length === 0 ? null : new Set(added.map(([name]) => comparableName(name)));
  for (const [name, inbound] of providerHeaders) {
    const compared = comparableName(name);
    if (!token.test(name) || dropped(compared) || hopByHop.has(compared)) continue;
    if (trace !== null && isTraceHeader(compared)) continue;
    if (replaced?.has(compared)) continue;
    const value = inboundValue(inbound);
    if (value !== null) headers.push([name, value]);
  }
  const type = contentType === null ? null : inboundValue(contentType);
  if (type !== null) headers.push(['content-type', type]);
  headers.push(['webhook-id', headerValue(webhook.id)], ['webhook-timestamp', String(webhook.timestampS)]);
  if (webhook.signature !== null) headers.push(['webhook-signature', headerValue(webhook.signature)]);
  headers.push(['x-webhook-provider', headerValue(event.provider)]);
  headers.push(['x-webhook-account', headerValue(event.accountSlug)]);
  if (event.eventType !== null) headers.push(['x-webhook-event-type', headerValue(event.eventType)]);
  headers.push(['x-webhook-external-id', headerValue(event.externalId)]);
  if (event.requestId !== null) headers.push(['x-webhook-request-id', headerValue(event.requestId)]);
  headers.push(['x-webhook-consumer', headerValue(event.consumer)]);
  headers.push(['x-webhook-attempt', String(event.attempt)], ['x-webhook-replay', String(event.replay)]);
  if (event.backfill) headers.push(['x-webhook-backfill', 'true']);
  if (event.test) headers.push(['x-webhook-test', 'true']);
  if (trace !== null) headers.push(...trace);
  headers.push(...added);
  return headers;
}
