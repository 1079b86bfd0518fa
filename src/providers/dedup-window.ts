import { maxToleranceSeconds } from './provider-config.ts';

/** Providers retry for hours, and their users resend a webhook on the same day. */
const resendS = 86_400;

/**
 * How far apart the clocks of two `api` processes may be: the hour by which docs/failures.md lets a clock be wrong. The
 * signed time is compared with their clocks, and the key expires by the clock of PostgreSQL.
 */
const clockSkewS = 3_600;

/**
 * How long a webhook's deduplication key is kept, in seconds since its receipt.
 *
 * A captured webhook must stay a duplicate for as long as its signed time is accepted. The time may be in the future by
 * the tolerance, and is then accepted until the tolerance after it. The second tolerance is that of the account at that
 * moment, which may have been raised since, so the largest possible one is used.
 *
 * @param config the account's `provider_config`, parsed by the provider's schema.
 */
export function dedupWindowS(config: object): number {
  if (!('tolerance_seconds' in config) || typeof config.tolerance_seconds !== 'number') return resendS;
  return config.tolerance_seconds + maxToleranceSeconds + clockSkewS;
}

/** The longest window that an account can have, in seconds. */
export const longestDedupWindowS = dedupWindowS({ tolerance_seconds: maxToleranceSeconds });
