/** Characters (code points) of an external id or event type; longer ones are cut, not refused. */
export const maxTextLength = 255;

/**
 * `text` as PostgreSQL can store it: at most {@link maxTextLength} code points, no NUL, no lone surrogates (both
 * become U+FFFD). Everything else stays as it is, null too.
 */
export function storableText(text: string): string;
export function storableText(text: string | null): string | null;
export function storableText(text: string | null): string | null {
  if (text === null) return null;
  // A code point is at most two units, so what lies beyond twice the length never counts.
  const head = text.length > 2 * maxTextLength ? text.slice(0, 2 * maxTextLength) : text;
  const stored = head.toWellFormed().replaceAll('\0', '\uFFFD');
  return stored.length > maxTextLength ? Array.from(stored).slice(0, maxTextLength).join('') : stored;
}

/**
 * What is in a header value, for reading: Node hands out one character a byte, and senders mostly mean UTF-8.
 * Unchanged where it is ASCII or no UTF-8.
 */
export function utf8HeaderValue(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is meant, control characters included.
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const decoded = bytes.toString('utf8');
  return decoded.includes('\uFFFD') ? value : decoded;
}

/** Like `decodeURIComponent`, but never throws: sequences that are no UTF-8 become U+FFFD, a bare `%` stays. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return new URLSearchParams(`v=${text.replace(/[+&]/g, encodeURIComponent)}`).get('v') ?? text;
}

/** The text behind percent-encoding; as written when that is broken. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
