import { MASKED } from '../delivery/masked.ts';

/** A URL in two parts: the one that may be stored and shown, and the one that may not. */
export interface PartedUrl {
  /** Without user and password. */
  url: string;
  /** `user:password`, percent-encoded as in the URL; null when the URL has neither. */
  credentials: string | null;
}

/**
 * Takes user and password out of a URL. The URL is read by the parser that deliveries use, and is returned as that
 * parser writes it; one without credentials stays as it was written.
 */
export function partUrl(text: string): PartedUrl {
  const url = URL.parse(text);
  if (!url || (url.username === '' && url.password === '')) return { url: text, credentials: null };
  const credentials = `${url.username}:${url.password}`;
  url.username = '';
  url.password = '';
  return { url: url.href, credentials };
}

/** The URL with its user and password again. */
export function joinUrl({ url: text, credentials }: PartedUrl): string {
  const url = URL.parse(text);
  if (credentials === null || !url) return text;
  [url.username, url.password] = splitCredentials(credentials);
  return url.href;
}

/** User and password, percent-encoded; a colon of the user is `%3A`. */
export function splitCredentials(credentials: string): [user: string, password: string] {
  const colon = credentials.indexOf(':');
  return [credentials.slice(0, colon), credentials.slice(colon + 1)];
}

/** A stored URL as operators see it: `https://[masked]@host/path` where it has credentials, sealed beside it or in it. */
export function maskedUrl(text: string | null, sealed: boolean): string | null {
  if (text === null) return null;
  const { url, credentials } = partUrl(text);
  if (credentials === null && !sealed) return text;
  return (URL.parse(url)?.href ?? url).replace('://', `://${MASKED}@`);
}

/**
 * What a URL says in place of its credentials: `none` when there is no mask in it, `whole` when it is one that
 * {@link maskedUrl} made, `partial` when a mask stands somewhere else in its user or password.
 */
export function maskOf(text: string): 'none' | 'whole' | 'partial' {
  const { credentials } = partUrl(text);
  const mask = encodeURIComponent(MASKED);
  if (credentials === null || !credentials.toLowerCase().includes(mask.toLowerCase())) return 'none';
  return credentials === `${mask}:` ? 'whole' : 'partial';
}
