import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../secrets/secret-box.ts';
import { createMask, fewestCharacters, type Mask } from '../secrets/secret-mask.ts';
import { decoded } from '../shared/text.ts';
import type { AccountRow } from './account-entity.ts';
import type { DeliveryAddresses } from './delivery-target.ts';
import { openConfig } from './provider-settings.ts';
import { splitCredentials } from './url-credentials.ts';

/** An account with all that is secret of it, sealed. */
export interface AccountSecrets extends DeliveryAddresses {
  provider: string;
  signingSecretCurrent: Uint8Array | null;
  signingSecretPrevious: Uint8Array | null;
  providerConfig: Uint8Array | null;
}

/** The values of a `provider_config` that are never shown. */
export type SecretValues = (provider: string, config: Readonly<Record<string, unknown>>) => string[];

/** Making a mask takes longer than a small answer's masking; accounts that deliver at a time are fewer than this. */
const keptMasks = 1_000;

/**
 * Masks the secrets of accounts in what their consumers say: a consumer that repeats the request, or its own settings, in
 * an answer must not carry them into rows and answers that others read.
 */
export class AccountMasks {
  readonly #box: SecretBox;
  readonly #secretValues: SecretValues;
  readonly #masks = new LRUCache<string, Mask>({ max: keptMasks });

  constructor(options: { box: SecretBox; secretValues: SecretValues }) {
    this.#box = options.box;
    this.#secretValues = options.secretValues;
  }

  /** The mask of an account's present secrets. */
  of(account: AccountSecrets): Mask {
    const key = keyOf(account);
    const kept = this.#masks.get(key);
    if (kept) return kept;
    const mask = createMask(this.#secretsOf(account));
    this.#masks.set(key, mask);
    return mask;
  }

  /** Every secret in the clear, in the forms in which it stands in requests and settings. */
  #secretsOf(account: AccountSecrets): string[] {
    const open = (sealed: Uint8Array | null, field: string) =>
      sealed === null ? null : this.#box.open(sealed, { accountId: account.id, field });
    const { id, provider, providerConfig } = account;
    const config = openConfig(this.#box, { id, provider_config: providerConfig });
    const secrets = [
      open(account.signingSecretCurrent, 'signing_secret_current'),
      open(account.signingSecretPrevious, 'signing_secret_previous'),
      open(account.deliverySecret, 'delivery_secret'),
      open(account.projectDeliverySecret, 'project_delivery_secret'),
      ...(config === null ? [] : this.#secretValues(provider, config)),
      ...secretsOfCredentials(open(account.deliveryUrlCredentials, 'delivery_url_credentials')),
      ...secretsOfCredentials(open(account.projectDeliveryUrlCredentials, 'project_delivery_url_credentials')),
    ].filter((secret) => secret !== null);
    return secrets
      .flatMap((secret) => [secret, secret.replace(/^whsec_/, '')])
      .filter((secret) => secret.length >= fewestCharacters)
      .flatMap((secret) => [secret, base64(secret)]);
  }
}

/** A user is no secret beside a password, and is one alone: some services take a token there. */
function secretsOfCredentials(credentials: string | null): string[] {
  if (credentials === null) return [];
  const [user, password] = splitCredentials(credentials).map(decoded);
  if (user === undefined || password === undefined) return [];
  return [password === '' ? user : password, `${user}:${password}`];
}

/** Without padding, so that it is found with it and without. */
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, '');

/** Boxes begin with a random nonce, so those of other secrets, or of another account, make another key. */
function keyOf(account: AccountSecrets): string {
  const boxes = [
    ...[account.signingSecretCurrent, account.signingSecretPrevious, account.providerConfig],
    ...[account.deliverySecret, account.deliveryUrlCredentials],
    ...[account.projectDeliverySecret, account.projectDeliveryUrlCredentials],
  ];
  return `${account.id} ${account.provider} ${boxes.map((box) => (box ? Buffer.from(box).toString('latin1') : '')).join(' ')}`;
}

/** An account as it is stored, for what works on its secrets. */
export function accountSecrets(account: AccountRow): AccountSecrets {
  return {
    id: account.id,
    provider: account.provider,
    deliveryUrl: account.delivery_url ?? null,
    deliveryUrlCredentials: account.delivery_url_credentials ?? null,
    deliverySecret: account.delivery_secret ?? null,
    projectDeliveryUrl: account.project_delivery_url ?? null,
    projectDeliveryUrlCredentials: account.project_delivery_url_credentials ?? null,
    projectDeliverySecret: account.project_delivery_secret ?? null,
    signingSecretCurrent: account.signing_secret_current ?? null,
    signingSecretPrevious: account.signing_secret_previous ?? null,
    providerConfig: account.provider_config ?? null,
  };
}
