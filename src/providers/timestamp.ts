import type { InboundRequest } from './inbound-request.ts';
import type { RejectionReason } from './provider.ts';

/** Seconds since 1970 as providers write them; more digits would be another unit. */
const unixSeconds = /^\d{1,11}$/;

/**
 * What is wrong with a signed time, or null. Asked after the signature has been found right, so that `stale_timestamp`
 * always means a genuine webhook that came too late or twice.
 *
 * @param seconds since 1970, as it was sent.
 */
export function timestampProblem(
  seconds: string | null,
  request: InboundRequest,
  { tolerance_seconds }: { tolerance_seconds: number },
): RejectionReason | null {
  if (seconds === null || seconds === '') return 'missing_timestamp';
  if (!unixSeconds.test(seconds)) return 'malformed_timestamp';
  const awayMs = Math.abs(request.receivedAt.getTime() - Number(seconds) * 1000);
  return awayMs > tolerance_seconds * 1000 ? 'stale_timestamp' : null;
}
