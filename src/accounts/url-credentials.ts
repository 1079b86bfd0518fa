import { MASKED } from '../secrets/masked.ts';

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

/**
 * A stored URL as operators see it: `https://[masked]@host/path` where it has credentials.
 *
 * @param sealed whether its credentials are sealed beside it.
 */
export function maskedUrl(text: string, sealed = false): string {
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

/** What is wrong with a URL that holds a mask where there are no credentials to put in its place. */
export const maskedCredentials = 'holds a mask in place of user and password: send these';

/**
 * Why a URL with a mask cannot be taken; null when it can, or holds none. A mask stands for stored credentials as long as
 * scheme, host and port are the same: so a client can send back what it has read, and nobody who has not got the password
 * can have it sent elsewhere.
 *
 * @param kept the stored URL whose credentials there are; null when there are none.
 */
export function maskMistake(text: string, kept: string | null): string | null {
  const mask = maskOf(text);
  if (mask === 'none') return null;
  if (mask === 'partial' || kept === null) return maskedCredentials;
  if (URL.parse(text)?.origin === URL.parse(kept)?.origin) return null;
  return 'has another scheme, host or port than the stored URL, so send user and password instead of the mask';
}
