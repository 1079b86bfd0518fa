import { MASKED } from '../secrets/masked.ts';

/** A URL split into a part that may be stored and shown, and its secret credentials. */
export interface PartedUrl {
  /** Without user and password. */
  url: string;
  /** `user:password`, percent-encoded as in the URL; null when the URL has neither. */
  credentials: string | null;
}

/**
 * Separates user and password from a URL. It uses the same parser as deliveries and returns the URL in normalized form.
 * A URL without credentials stays unchanged.
 */
export function partUrl(text: string): PartedUrl {
  const url = URL.parse(text);
  if (!url || (url.username === '' && url.password === '')) return { url: text, credentials: null };
  const credentials = `${url.username}:${url.password}`;
  url.username = '';
  url.password = '';
  return { url: url.href, credentials };
}

/** The reverse of {@link partUrl}: the URL with its credentials. */
export function joinUrl({ url: text, credentials }: PartedUrl): string {
  const url = URL.parse(text);
  if (credentials === null || !url) return text;
  [url.username, url.password] = splitCredentials(credentials);
  return url.href;
}

/** Splits credentials into user and password, both percent-encoded. A colon in the user is `%3A`. */
export function splitCredentials(credentials: string): [user: string, password: string] {
  const colon = credentials.indexOf(':');
  return [credentials.slice(0, colon), credentials.slice(colon + 1)];
}

/**
 * A stored URL as operators see it: `https://[masked]@host/path` if it has credentials.
 *
 * @param sealed whether its credentials are encrypted in another column.
 */
export function maskedUrl(text: string, sealed = false): string {
  const { url, credentials } = partUrl(text);
  if (credentials === null && !sealed) return text;
  return (URL.parse(url)?.href ?? url).replace('://', `://${MASKED}@`);
}

/**
 * The mask in a URL's credentials: `none` without one, `whole` when the URL has the form that {@link maskedUrl}
 * returns, `partial` when the mask is only a part of user or password.
 */
export function maskOf(text: string): 'none' | 'whole' | 'partial' {
  const { credentials } = partUrl(text);
  const mask = encodeURIComponent(MASKED);
  if (credentials === null || !credentials.toLowerCase().includes(mask.toLowerCase())) return 'none';
  return credentials === `${mask}:` ? 'whole' : 'partial';
}

/** The error for a URL with a mask when there are no stored credentials to replace it. */
export const maskedCredentials = 'holds a mask in place of user and password: send these';

/**
 * Why a URL with a mask is invalid; null when it is valid or has no mask. A mask stands for the stored credentials only
 * if scheme, host and port are unchanged. So a client can send back a URL that it has read, but cannot have a password
 * that it does not know sent to another host.
 *
 * @param kept the stored URL if it has stored credentials; otherwise null.
 */
export function maskMistake(text: string, kept: string | null): string | null {
  const mask = maskOf(text);
  if (mask === 'none') return null;
  if (mask === 'partial' || kept === null) return maskedCredentials;
  if (URL.parse(text)?.origin === URL.parse(kept)?.origin) return null;
  return 'has another scheme, host or port than the stored URL, so send user and password instead of the mask';
}

/** Whether requests to a URL go without TLS. */
export const isWithoutTls = (url: string | null | undefined): boolean => URL.parse(url ?? '')?.protocol === 'http:';
