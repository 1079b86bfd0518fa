import { keptHeaders, proxyHeaders } from './proxy-headers.ts';

/** Whether an inbound header is never forwarded, by its {@link comparableName}. */
export type DroppedHeaders = (comparable: string) => boolean;

/**
 * A header's name as programs behind CGI, WSGI or Rack see it: they cannot tell `webhook_id` from `webhook-id`, and
 * lighttpd writes every sign but letters and digits as `_`. Names that are one for them are one here.
 */
export const comparableName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');

/**
 * Never forwarded. Hop-by-hop: RFC 9110 section 7.6.1, with the historical ones of RFC 2616 section 13.5.1.
 * `accept-encoding` is the provider's wish, not ours: the answer would come back compressed and could not be shown.
 */
const notForwarded = [
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'proxy-*'],
  ...['host', 'content-length', 'expect', 'accept-encoding'],
  ...['cookie', 'cookie2', 'set-cookie', 'set-cookie2', 'authorization'],
  // Set by the gateway: an inbound header of such a name could pass for it, most of all when the gateway sets none.
  ...['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
  ...['x-webhook-provider', 'x-webhook-account', 'x-webhook-event-type', 'x-webhook-external-id'],
  ...['x-webhook-attempt', 'x-webhook-replay', 'x-webhook-test'],
];

/** What matches one of the patterns: a name, or the beginning of names before a `*`. */
function matcher(patterns: readonly string[]): DroppedHeaders {
  const names = new Set<string>();
  const beginnings: string[] = [];
  for (const pattern of patterns) {
    if (pattern.endsWith('*')) beginnings.push(comparableName(pattern.slice(0, -1)));
    else names.add(comparableName(pattern));
  }
  if (beginnings.length === 0) return (name) => names.has(name);
  // One expression: each delivery has some 20 headers, and there are some 50 wildcards.
  const begins = new RegExp(`^(?:${beginnings.join('|')})`);
  return (name) => names.has(name) || begins.test(name);
}

const kept = matcher(keptHeaders.map(({ name }) => name));
const always = matcher(notForwarded);
const ofProxies = matcher(proxyHeaders.flatMap(({ names }) => names));
const builtIn: DroppedHeaders = (name) => always(name) || (ofProxies(name) && !kept(name));

/**
 * The headers that are not forwarded: hop-by-hop ones, credentials, the gateway's own, those of proxies, and `more`.
 *
 * @param more names in any case, with `*` at the end for any rest (DROPPED_HEADERS).
 */
export function droppedHeaders(more: readonly string[] = []): DroppedHeaders {
  const configured = matcher(more);
  return more.length === 0 ? builtIn : (name) => builtIn(name) || configured(name);
}

/** RFC 9110 section 5.6.2, with the wildcard. `*` is a letter of names too, so it may only be the last one. */
const pattern = /^[!#$%&'+\-.^_`|~0-9A-Za-z]*\*?$/;

/** What is wrong with a name of DROPPED_HEADERS, to stand behind it; null when it is right. */
export function droppedHeaderMistake(name: string): string | null {
  return pattern.test(name) ? null : 'is no header name like x-user, or x-internal-* for all that begin so';
}
