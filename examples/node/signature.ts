import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A delivery is signed when it is sent. Five minutes allow for a slow network and clocks that differ. */
const toleranceS = 5 * 60;

/** The key of a delivery secret: the bytes of the base64 after `whsec_`, else those of the whole text. */
function keyOf(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+)={0,2}$/.exec(secret)?.[1];
  // One character over is no base64.
  const isBase64 = encoded !== undefined && encoded.length % 4 !== 1;
  return isBase64 ? Buffer.from(encoded, 'base64') : Buffer.from(secret, 'utf8');
}

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
