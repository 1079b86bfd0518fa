import { constantTimeMatcher } from '../secrets/constant-time.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider, RejectionReason, Verification, VerificationSettings } from './provider.ts';

/** The place of a signing secret in its account. */
export type SecretSlot = 'current' | 'previous';

/**
 * Verifies `request` with the account's current secret, then with the previous one (R34). A refusal has the reason for
 * the current secret, unless the request was signed with the previous one. If a secret cannot be decrypted, a request
 * that the other one does not verify may have been signed with it, so that is the reason. An unknown provider
 * (undefined) never passes, even when verification is skipped.
 *
 * @param verifiedBy called with the secret that has verified the request; not called when none was needed.
 */
export function verifyInbound(
  provider: Provider | undefined,
  settings: VerificationSettings,
  request: InboundRequest,
  verifiedBy?: (slot: SecretSlot) => void,
): Verification {
  if (!provider) return { ok: false, reason: 'unknown_provider' };
  if (settings.skip) return { ok: true };
  const [first, ...others] = usableSecrets(settings);
  const { config, unreadable = false } = settings;
  const refused = (reason: RejectionReason): Verification => ({
    ok: false,
    reason: unreadable ? 'secret_unreadable' : reason,
  });
  if (first === undefined) return refused('no_secret_configured');
  if (!config) return refused('invalid_provider_config');
  const verdict = provider.verify(request, { secret: first, config });
  if (verdict.ok) verifiedBy?.(first === settings.current ? 'current' : 'previous');
  for (const secret of verdict.ok ? [] : others) {
    const other = provider.verify(request, { secret, config });
    if (other.ok) verifiedBy?.('previous');
    // The previous secret matches but the time is old, so the reason is the time, not the signature.
    if (other.ok || other.reason === 'stale_timestamp') return other;
  }
  return !verdict.ok && verdict.reason === 'bad_signature' ? refused(verdict.reason) : verdict;
}

/** The account's secrets that are set, in the order in which they are tried. */
export function usableSecrets({ current, previous }: Pick<VerificationSettings, 'current' | 'previous'>): string[] {
  return [current, previous].filter((secret): secret is string => secret !== null && secret !== '');
}

/**
 * At most this many values of one request are compared. Senders offer only a few. Without a bound, 16 KiB of guessed
 * header values take 8 ms of CPU time (measured), hundreds of times as long as a normal request.
 */
const maxOffered = 64;

/** Compares a secret with the values that a request offers. Any match passes, at any position (R33). */
export function verifyLiteral(offered: readonly string[], secret: string): Verification {
  const values = offered.filter((value) => value !== '').slice(0, maxOffered);
  if (values.length === 0) return { ok: false, reason: 'missing_signature' };
  const matches = constantTimeMatcher(secret);
  return values.some(matches) ? { ok: true } : { ok: false, reason: 'bad_signature' };
}
