/** What an operator can do about a rejected webhook, by its `rejection_reason`. */
const meanings = new Map([
  ['no_secret_configured', 'The account has no signing secret. Set signing_secret_current.'],
  [
    'unusable_secret',
    'The signing secret of the account is no key for this provider. Copy it from the provider again.',
  ],
  [
    'invalid_provider_config',
    'The account’s provider_config does not fit its provider, or lacks something that this needs.',
  ],
  ['missing_original_url', 'The header X-Original-Url is missing.'],
  [
    'missing_signature',
    'It carried no signature. It may not come from the provider, or the provider signs nothing yet.',
  ],
  ['malformed_signature', 'Its signature is not of the provider’s form. Is the account of the right provider?'],
  [
    'bad_signature',
    'Its signature was made with another secret or over other bytes. Compare the secret with the provider’s.',
  ],
  ['missing_timestamp', 'It does not say when it was signed.'],
  ['malformed_timestamp', 'The time of its signature cannot be read.'],
  ['stale_timestamp', 'It was signed rightly, but too long ago or in the future: a replay, or a clock that is wrong.'],
]);

/** @param {string} reason */
export function meaningOf(reason) {
  const meaning = meanings.get(reason);
  return meaning === undefined ? reason : `${reason} – ${meaning}`;
}
