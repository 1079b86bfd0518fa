/** A test of the {@link comparableName} of a header. */
export type HeaderTest = (comparable: string) => boolean;

/**
 * Normalizes a header name as CGI, WSGI and Rack do. Programs behind them cannot distinguish `webhook_id` from
 * `webhook-id`, and lighttpd replaces every character except letters and digits by `_`. Names that are equal for such
 * programs must be equal here.
 */
export const comparableName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');

/**
 * Headers that nobody but the gateway sets. Hop-by-hop: RFC 9110, section 7.6.1, and RFC 2616, section 13.5.1. `accept-encoding`
 * because a compressed response could not be shown.
 */
const reserved = [
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'proxy-*'],
  ...['host', 'content-length', 'expect', 'accept-encoding'],
  ...['cookie', 'cookie2', 'set-cookie', 'set-cookie2', 'authorization'],
  // Set by the gateway. Another header with such a name could be taken for the gateway's, above all if it sets none.
  ...['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
  ...['x-webhook-provider', 'x-webhook-account', 'x-webhook-event-type', 'x-webhook-external-id'],
  ...['x-webhook-request-id', 'x-webhook-consumer', 'x-webhook-backfill'],
  ...['x-webhook-attempt', 'x-webhook-replay', 'x-webhook-test'],
];

/** Matches names against patterns: a whole name, or a prefix followed by `*`. */
export function matcher(patterns: readonly string[]): HeaderTest {
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

/** Whether the header with this {@link comparableName} is neither forwarded from a sender nor set by an operator. */
export const isReservedHeader: HeaderTest = matcher(reserved);
