/** Longer waits are cut: no schedule leaves more room, 7 days and half as much again. */
const longestMs = 10.5 * 24 * 60 * 60 * 1000;

/** The three date forms of RFC 9110, section 5.6.7. All are in GMT, although the third does not name the zone. */
const imfFixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const rfc850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Reads a `Retry-After` value (RFC 9110 section 10.2.3): whole seconds or an HTTP date.
 *
 * @param nowMs the current time, in milliseconds since 1970
 * @returns milliseconds to wait, at most 10.5 days; null for invalid values and for times in the past
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestMs);
  const known = imfFixdate.test(text) || rfc850.test(text) || asctime.test(text);
  const waitMs = known ? Date.parse(asctime.test(text) ? `${text} GMT` : text) - nowMs : Number.NaN;
  return waitMs >= 0 ? Math.min(waitMs, longestMs) : null;
}
