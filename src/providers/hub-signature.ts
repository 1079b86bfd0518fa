import type { InboundRequest } from './inbound-request.ts';
import type { Verification } from './provider.ts';
import { afterPrefix, type HmacAlgorithm, hmac, matchSignature } from './signature.ts';

/**
 * Verifies `<header>: <algorithm>=<hex>`, the HMAC over the body, as WebSub defines it. GitHub, Meta and Intercom use
 * it.
 *
 * Source: https://www.w3.org/TR/websub/#authenticated-content-distribution
 */
export function verifyHubSignature(
  request: InboundRequest,
  secret: string,
  header: string,
  algorithm: HmacAlgorithm,
): Verification {
  const values = request.headerValues(header).filter((value) => value !== '');
  if (values.length === 0) return { ok: false, reason: 'missing_signature' };
  const signatures = values.flatMap((value) => value.split(',')).map((value) => value.trim());
  const offered = afterPrefix(signatures, `${algorithm}=`);
  if (offered.length === 0) return { ok: false, reason: 'malformed_signature' };
  return matchSignature(hmac(algorithm, secret, [request.body]), offered, 'hex');
}
