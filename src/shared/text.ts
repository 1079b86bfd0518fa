import { isUtf8 } from 'node:buffer';

/** The most characters (code points) of an external id or event type. Longer ones are truncated, not refused. */
export const maxTextLength = 255;

/**
 * Makes a text storable in PostgreSQL: truncates it to {@link maxTextLength} code points, and replaces NUL and lone
 * surrogates by U+FFFD. Null stays null.
 */
export function storableText(text: string): string;
export function storableText(text: string | null): string | null;
export function storableText(text: string | null): string | null {
  if (text === null) return null;
  // A code point has at most two UTF-16 units, so text beyond twice the length is never needed.
  const head = text.length > 2 * maxTextLength ? text.slice(0, 2 * maxTextLength) : text;
  const stored = head.toWellFormed().replaceAll('\0', '\uFFFD');
  return stored.length > maxTextLength ? Array.from(stored).slice(0, maxTextLength).join('') : stored;
}

/**
 * Decodes a header value as UTF-8, which most senders use. Node decodes it as latin1, one character for each byte.
 * Returns the value unchanged when it is ASCII or not valid UTF-8.
 */
export function utf8HeaderValue(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches all of ASCII, including control characters.
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const decoded = bytes.toString('utf8');
  return decoded.includes('\uFFFD') ? value : decoded;
}

const utf8 = new TextDecoder();

/** Bytes as text without a byte order mark; null when they are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | null => (isUtf8(bytes) ? utf8.decode(bytes) : null);

/** Like `decodeURIComponent`, but never throws: invalid UTF-8 becomes U+FFFD, and a bare `%` is kept. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return new URLSearchParams(`v=${text.replace(/[+&]/g, encodeURIComponent)}`).get('v') ?? text;
}

/** Decodes percent-encoded text; returns it unchanged when the encoding is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/**
 * A text as a pattern of a regular expression that matches it. Not RegExp.escape: the command line reads signatures with
 * Node 20, too.
 */
export const literalPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
