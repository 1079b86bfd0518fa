import { lengthOfTime } from '../shared/length-of-time.ts';
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
  const ageMs = request.receivedAt.getTime() - Number(seconds) * 1000;
  if (Math.abs(ageMs) <= tolerance_seconds * 1000) return verdict;
  return { ok: false, reason: 'stale_timestamp', detail: staleDetail(ageMs, tolerance_seconds) };
}

function staleDetail(ageMs: number, toleranceS: number): string {
  const away = lengthOfTime(Math.abs(ageMs));
  const limit = `the limit is ${lengthOfTime(toleranceS * 1000)}`;
  return ageMs > 0 ? `Signed ${away} before it came; ${limit}.` : `Signed for ${away} after it came; ${limit}.`;
}
