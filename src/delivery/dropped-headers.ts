import { comparableName, type HeaderTest, isReservedHeader, matcher } from '../shared/reserved-headers.ts';
import { keptHeaders, proxyHeaders } from './proxy-headers.ts';

/** Whether the inbound header with this {@link comparableName} is never forwarded. */
export type DroppedHeaders = HeaderTest;

const kept = matcher(keptHeaders);
const ofProxies = matcher(proxyHeaders);
const builtIn: DroppedHeaders = (name) => isReservedHeader(name) || (ofProxies(name) && !kept(name));

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
