import type { SecretBox } from '../secrets/secret-box.ts';
import type { Authentication } from './authentication.ts';

/** With which the values of a consumer are sealed, together with its id. */
export const consumerFields = {
  credentials: 'consumer_url_credentials',
  secret: 'consumer_secret',
  sealedOptions: 'consumer_sealed_options',
} as const;

/** The secrets that sign deliveries: `secret` is that of a consumer other than `default`. */
export type OutboundSecret = 'secret' | 'delivery_secret' | 'project_delivery_secret';

/** A secret that signs beside the one that has replaced it. */
export interface PreviousSecret {
  secret: string;
  /** Until when, as ISO 8601. */
  expiresAt: string;
}

export type PreviousSecrets = Partial<Record<OutboundSecret, PreviousSecret>>;

/** The settings of a consumer's deliveries that are secret: stored encrypted, all in one value. */
export interface SealedOptions {
  /** How its deliveries authenticate. Absent: not. */
  authentication?: Authentication | undefined;
  /** The authorities that are trusted, in PEM. Not secret, but read only with the rest. Absent: those of Node.js. */
  ca?: string | undefined;
  /** The private key that signs them (signature-key.ts). Absent: the secret signs them. */
  signatureKey?: string | undefined;
  /** The secrets that were replaced by a rotation. Their end may have come. */
  previous?: PreviousSecrets | undefined;
}

const placeOf = (consumerId: string) => ({ accountId: consumerId, field: consumerFields.sealedOptions });

/** The settings in the encrypted value of a consumer; null: SECRETS_KEY does not decrypt it. */
export function openOptions(
  box: SecretBox,
  consumerId: string,
  sealed: Uint8Array | null | undefined,
): SealedOptions | null {
  if (!sealed) return {};
  const opened = box.open(sealed, placeOf(consumerId));
  return opened === null ? null : JSON.parse(opened);
}

/** The encrypted value of these settings; null: there are none. */
function sealOptions(box: SecretBox, consumerId: string, options: SealedOptions): Buffer | null {
  const text = JSON.stringify(options);
  return text === '{}' ? null : Buffer.from(box.seal(text, placeOf(consumerId)));
}

/** The encrypted value after a change; that before it if nothing has changed. */
export function sealChanged(
  box: SecretBox,
  consumerId: string,
  before: { sealed: Uint8Array | null | undefined; options: SealedOptions | null },
  after: SealedOptions,
): Uint8Array | null {
  const isSame = before.options !== null && JSON.stringify(before.options) === JSON.stringify(after);
  return isSame ? (before.sealed ?? null) : sealOptions(box, consumerId, after);
}
