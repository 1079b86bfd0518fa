import { keptHeaders, proxyHeaders } from './proxy-headers.ts';

/** Whether the inbound header with this {@link comparableName} is never forwarded. */
export type DroppedHeaders = (comparable: string) => boolean;

/**
 * Normalizes a header name as CGI, WSGI and Rack do. Programs behind them cannot distinguish `webhook_id` from
 * `webhook-id`, and lighttpd replaces every character except letters and digits by `_`. Names that are equal for such
 * programs must be equal here.
 */
export const comparableName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');

/**
 * Headers that are never forwarded. Hop-by-hop: RFC 9110, section 7.6.1, and RFC 2616, section 13.5.1. The provider's
 * `accept-encoding` is dropped because a compressed response could not be shown.
 */
const notForwarded = [
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'proxy-*'],
  ...['host', 'content-length', 'expect', 'accept-encoding'],
  ...['cookie', 'cookie2', 'set-cookie', 'set-cookie2', 'authorization'],
  // Set by the gateway. An inbound header with such a name could be taken for the gateway's, above all if it sets none.
  ...['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
  ...['x-webhook-provider', 'x-webhook-account', 'x-webhook-event-type', 'x-webhook-external-id'],
  ...['x-webhook-request-id', 'x-webhook-consumer', 'x-webhook-backfill'],
  ...['x-webhook-attempt', 'x-webhook-replay', 'x-webhook-test'],
];

/** Matches names against patterns: a whole name, or a prefix followed by `*`. */
function matcher(patterns: readonly string[]): DroppedHeaders {
  const names = new Set<string>();
  const beginnings: string[] = [];
  for (const pattern of patterns) {
    if (pattern.endsWith('*')) beginnings.push(comparableName(pattern.slice(0, -1)));
    else names.add(comparableName(pattern));
  }
  if (beginnings.length === 0) return (name) => names.has(name);
  // One regular expression for all wildcards, for speed: each delivery has about 20 headers, and there are 50
  // wildcards.
  const begins = new RegExp(`^(?:${beginnings.join('|')})`);
  return (name) => names.has(name) || begins.test(name);
}

const kept = matcher(keptHeaders);
const always = matcher(notForwarded);
const ofProxies = matcher(proxyHeaders);
const builtIn: DroppedHeaders = (name) => always(name) || (ofProxies(name) && !kept(name));

/**
 * Returns the test for headers that are not forwarded: hop-by-hop headers, credentials, the gateway's own headers,
 * those that proxies set, and `more`.
 *
 * @param more names in any case, where a final `*` matches any rest (DROPPED_HEADERS).
 */
export function droppedHeaders(more: readonly string[] = []): DroppedHeaders {
  const configured = matcher(more);
  return more.length === 0 ? builtIn : (name) => builtIn(name) || configured(name);
}

/**
 * A header name (RFC 9110, section 5.6.2) with an optional wildcard. Names may contain `*`, so only a final one counts.
 */
const pattern = /^[!#$%&'+\-.^_`|~0-9A-Za-z]*\*?$/;

/** The mistake in an entry of DROPPED_HEADERS, as the end of a sentence; null when it is valid. */
export function droppedHeaderMistake(name: string): string | null {
  return pattern.test(name) ? null : 'must be a header name such as x-user, or a prefix such as x-internal-*';
}
