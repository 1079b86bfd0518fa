import type { InboundRequest } from './inbound-request.ts';
import type { Verification } from './provider.ts';

/** Seconds since 1970 as providers write them. More digits indicate another unit, such as milliseconds. */
const unixSeconds = /^\d{1,11}$/;

/**
 * Adds the check of the signed time to the verdict about a signature. The signature is checked first, so that
 * `stale_timestamp` always means a genuine webhook that arrived too late or twice.
 *
 * @param seconds the signed time in seconds since 1970, as sent.
 */
export function timelyVerdict(
  verdict: Verification,
  seconds: string | null | undefined,
  request: InboundRequest,
  { tolerance_seconds }: { tolerance_seconds: number },
): Verification {
  if (!verdict.ok) return verdict;
  if (!seconds) return { ok: false, reason: 'missing_timestamp' };
  if (!unixSeconds.test(seconds)) return { ok: false, reason: 'malformed_timestamp' };
  const awayMs = Math.abs(request.receivedAt.getTime() - Number(seconds) * 1000);
  return awayMs > tolerance_seconds * 1000 ? { ok: false, reason: 'stale_timestamp' } : verdict;
}
