import { parse, stringify } from 'node:querystring';

/**
 * The forms of its address that Twilio may have signed: with the port and without, since products differ in whether
 * they write it; then the same with special characters escaped, which older ones signed. The likeliest comes first.
 *
 * Source: https://github.com/twilio/twilio-node/blob/main/src/webhooks/webhooks.ts
 */
export function possibleUrls(url: string): Set<string> {
  const normal = URL.parse(url)?.href;
  const forms = normal === undefined ? [url] : [url, normal, withLegacyQuery(normal)];
  return new Set(forms.flatMap((form) => [withoutPort(form), withPort(form)]));
}

/** Scheme, host (an IPv6 address has colons too, but ends in a bracket), port. */
const origin = /^(https?:\/\/[^/?#]*?)(:\d+)?(?=[/?#]|$)/i;

function withoutPort(url: string): string {
  return url.replace(origin, '$1');
}

/** The standard one, unless it has one. */
function withPort(url: string): string {
  return url.replace(origin, (_, host: string, port?: string) => host + (port ?? standardPort(host)));
}

function standardPort(host: string): string {
  return /^https:/i.test(host) ? ':443' : ':80';
}

function withLegacyQuery(url: string): string {
  const at = url.indexOf('?') + 1;
  return at === 0 ? url : url.slice(0, at) + stringify(parse(url.slice(at)));
}
