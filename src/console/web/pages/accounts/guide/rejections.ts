/** What a rejection means, and what to do about it. */
export interface Rejection {
  what: string;
  todo: string;
}

const secretTodo = 'Compare the secret at the provider with the one of the account, and set it again there.';

const rejections = new Map(
  Object.entries<Rejection>({
    no_secret_configured: { what: 'The account has no signing secret.', todo: 'Set it on the page of the account.' },
    secret_unreadable: {
      what: 'A secret or the settings of the account do not decrypt with SECRETS_KEY.',
      todo: 'Restore the key of the gateway, or set them again on the page of the account.',
    },
    unusable_secret: { what: 'The secret of the account does not have the format of the provider.', todo: secretTodo },
    invalid_provider_config: {
      what: 'The settings of the account are not valid.',
      todo: 'Edit them on the page of the account.',
    },
    missing_original_url: {
      what: 'The header X-Original-Url is missing.',
      todo: 'The support chat sends it by itself; add it to requests of your own.',
    },
    missing_signature: {
      what: 'The webhook has no signature.',
      todo: 'Enter the secret at the provider, or switch its signatures on.',
    },
    malformed_signature: {
      what: "The signature does not have the provider's format.",
      todo: 'Check the address: it may be one of another provider.',
    },
    bad_signature: {
      what: 'The signature was made with another secret or over other bytes.',
      todo: `${secretTodo} A proxy that changes bodies or addresses breaks signatures, too.`,
    },
    missing_timestamp: { what: 'The webhook has no signing time.', todo: 'Check which header has it.' },
    malformed_timestamp: {
      what: 'The signing time is not in a valid format.',
      todo: 'Check its header and unit in the settings of the account.',
    },
    stale_timestamp: {
      what: 'The signature is valid, but too old or from the future.',
      todo: 'Check the clock of this machine, and `tolerance_seconds` of the account.',
    },
  }),
);

export const rejectionOf = (reason: string | null): Rejection =>
  rejections.get(reason ?? '') ?? { what: 'The webhook could not be verified.', todo: '' };
