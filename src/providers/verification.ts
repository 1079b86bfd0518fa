import { constantTimeMatcher } from './constant-time.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider, Verification, VerificationSettings } from './provider.ts';

/**
 * Verifies `request` for an account: its current secret first, then the previous one (R34). The reason of a
 * refusal is that of the current secret, unless the previous one is what it was signed with. An unknown provider
 * (undefined) never verifies, not even when skipping.
 */
export function verifyInbound(
  provider: Provider | undefined,
  settings: VerificationSettings,
  request: InboundRequest,
): Verification {
  if (!provider) return { ok: false, reason: 'unknown_provider' };
  if (settings.skip) return { ok: true };
  const [first, ...others] = usableSecrets(settings);
  if (first === undefined) return { ok: false, reason: 'no_secret_configured' };
  const { config } = settings;
  if (!config) return { ok: false, reason: 'invalid_provider_config' };
  const verdict = provider.verify(request, { secret: first, config });
  for (const secret of verdict.ok ? [] : others) {
    const other = provider.verify(request, { secret, config });
    // What was signed with the previous secret, but long ago, is just that and not badly signed.
    if (other.ok || other.reason === 'stale_timestamp') return other;
  }
  return verdict;
}

/** The secrets of an account that can verify anything, in the order in which they are tried. */
export function usableSecrets({ current, previous }: Pick<VerificationSettings, 'current' | 'previous'>): string[] {
  return [current, previous].filter((secret): secret is string => secret !== null && secret !== '');
}

/**
 * Of so many values of one request each is compared; no sender offers more than a few. Without a bound, 16 KiB of
 * headers made of guesses take 8 ms of a core (measured), hundreds of times what an honest request takes.
 */
const maxOffered = 64;

/** Compares a secret with the values that a request offers; any match passes, wherever it stands (R33). */
export function verifyLiteral(offered: readonly string[], secret: string): Verification {
  const values = offered.filter((value) => value !== '').slice(0, maxOffered);
  if (values.length === 0) return { ok: false, reason: 'missing_signature' };
  const matches = constantTimeMatcher(secret);
  return values.some(matches) ? { ok: true } : { ok: false, reason: 'bad_signature' };
}
