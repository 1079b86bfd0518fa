import type { RejectionReason } from '../../../providers/provider.ts';

/** What an operator can do about a rejected webhook, by its `rejection_reason`. Backticks mark code. */
const advice: Record<RejectionReason, string> = {
  unknown_provider: 'No provider of the gateway has this name. Correct the address at the sender.',
  no_secret_configured: 'The account has no signing secret. Set one on the page of the account.',
  secret_unreadable:
    'A secret or the `provider_config` of the account does not decrypt with `SECRETS_KEY`. Restore the key, or set the value again.',
  unusable_secret:
    'The signing secret of the account does not have the format that the provider uses. Copy it from the provider again.',
  invalid_provider_config:
    'The account’s `provider_config` is invalid for its provider, or lacks a required field. Correct it on the page of the account.',
  missing_original_url:
    'The header `X-Original-Url` is missing. Check that the sender or its proxy sets it, and add it to requests of your own.',
  missing_signature:
    'The webhook has no signature. It may not come from the provider, or signing is not enabled at the provider: enter the secret there.',
  malformed_signature:
    'The signature does not have the provider’s format. Check that the account and its address are those of the right provider.',
  bad_signature:
    'The signature was made with a different secret or over different bytes. Compare the secret with the provider’s, and set it again. A proxy that changes bodies or addresses breaks signatures, too.',
  missing_timestamp:
    'The webhook has no signing time. It may not come from the provider, or the settings of the account name another header.',
  malformed_timestamp:
    'The signing time is not in a valid format. It may not come from the provider, or the settings of the account have another header or unit.',
  stale_timestamp:
    'The signature is valid, but its time is too far in the past or in the future. The webhook is a replay, or a clock is wrong: check that of this machine, and `tolerance_seconds` of the account.',
};

const byReason = new Map<string, string>(Object.entries(advice));

/** What to do about webhooks that were rejected for this reason; null for that of another release. */
export const adviceOn = (reason: string): string | null => byReason.get(reason) ?? null;
