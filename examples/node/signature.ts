import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A delivery is signed when it is sent. Five minutes allow for a slow network and clocks that differ. */
const toleranceS = 5 * 60;

/** The key of a delivery secret: the decoded bytes after `whsec_`, else the bytes of the text. */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8');

/**
 * Whether the gateway has signed these bytes with one of the secrets, at most five minutes ago.
 *
 * @param body the bytes as received: not parsed, decoded or decompressed
 * @param headers as Node has them (`request.headers`), with lower-case names
 */
export function isSigned(body: Uint8Array, headers: IncomingHttpHeaders, secrets: readonly string[]): boolean {
  const id = String(headers['webhook-id'] ?? '');
  const timestamp = String(headers['webhook-timestamp'] ?? '');
  const signatures = String(headers['webhook-signature'] ?? '').split(' ');
  // A comparison with NaN is false, so a missing or malformed time is refused too.
  const isRecent = Math.abs(Date.now() / 1000 - Number.parseInt(timestamp, 10)) <= toleranceS;
  if (id === '' || !isRecent) return false;
  return secrets.some((secret) => {
    const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
    const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
    return signatures.some((text) => {
      const given = Buffer.from(text);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  });
}
