import type { IncomingMessage } from 'node:http';

/** A host and a port (RFC 9110, section 7.2), or nothing, which HTTP allows. */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i;
/** A target that a proxy was sent (RFC 9112, section 3.2.2): a host, and what follows it. No user, no empty host. */
const absolute = /^https?:\/\/(\[[^\]/?#@]+\](?::\d*)?|[^:/?#@[\]][^/?#@[\]]*)(.*)$/i;
/** A segment `.` or `..`, which a URL parser would remove. */
const dotSegment = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Whether the `Host` header may have this value (RFC 9112, section 3.2). */
export const isHost = (value: string): boolean => host.test(value);

/**
 * Why the target of a request is not valid, as the end of a sentence; null when it is.
 *
 * Dot segments are refused. They are legal, but a proxy that guards `/admin` by the path as it was sent would let
 * `/x/../admin` pass.
 */
export function targetMistake({ method, url = '' }: IncomingMessage): string | null {
  if (!url.startsWith('/')) {
    if (url === '*') return method === 'OPTIONS' ? null : 'is for OPTIONS only';
    const [, authority] = absolute.exec(url) ?? [];
    if (authority === undefined || !isHost(authority) || !URL.canParse(`http://${authority}`))
      return 'is neither a path nor a URL of http or https';
  }
  if (url.includes('#')) return 'has a fragment';
  if ((url.includes('/.') || url.includes('%2')) && dotSegment.test(url)) return 'has a dot segment';
  return null;
}

/**
 * Replaces a URL in the request line by its path and query, and the value of `Host` by its host, as RFC 9112, section
 * 3.2.2, demands. The target must be valid.
 */
export function takeOriginForm(request: IncomingMessage): void {
  const { url = '/', rawHeaders } = request;
  if (url.startsWith('/') || url === '*') return;
  const [, authority = '', rest = ''] = absolute.exec(url) ?? [];
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = authority;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = authority;
}
