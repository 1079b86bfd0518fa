import { parse, stringify } from 'node:querystring';

/**
 * The forms of the URL that Twilio may have signed, the most likely first. Twilio's products differ in whether they
 * include the port. Older products signed the URL with special characters escaped.
 *
 * Source: https://github.com/twilio/twilio-node/blob/main/src/webhooks/webhooks.ts
 */
export function possibleUrls(url: string): Set<string> {
  const normal = URL.canParse(url) ? new URL(url).href : undefined;
  const forms = normal === undefined ? [url] : [url, normal, withLegacyQuery(normal)];
  return new Set(forms.flatMap((form) => [withoutPort(form), withPort(form)]));
}

/** Scheme and host, then the port. An IPv6 host also has colons, but ends in a bracket. */
const origin = /^(https?:\/\/[^/?#]*?)(:\d+)?(?=[/?#]|$)/i;

function withoutPort(url: string): string {
  return url.replace(origin, '$1');
}

/** The URL with a port: its own, or the standard port of its scheme. */
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
