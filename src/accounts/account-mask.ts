import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../secrets/secret-box.ts';
import { createMask, fewestCharacters, type Mask } from '../secrets/secret-mask.ts';
import { decoded } from '../shared/text.ts';
import type { AccountRow } from './account-entity.ts';
import { secretsOfAuthentication } from './authentication.ts';
import type { ConsumerAddress, DeliveryAddresses } from './delivery-target.ts';
import { openConfig } from './provider-settings.ts';
import { consumerFields, openOptions } from './sealed-options.ts';
import { splitCredentials } from './url-credentials.ts';

/** The encrypted secrets of an account. */
export interface AccountSecrets extends DeliveryAddresses {
  provider: string;
  signingSecretCurrent: Uint8Array | null;
  signingSecretPrevious: Uint8Array | null;
  providerConfig: Uint8Array | null;
}

/** Returns the secret values of a `provider_config`. */
export type SecretValues = (provider: string, config: Readonly<Record<string, unknown>>) => string[];

/** Cached masks. Creating one takes longer than masking a small response. Fewer accounts deliver at the same time. */
const keptMasks = 1_000;

/**
 * Masks the secrets of accounts in the responses of their consumers. A consumer may repeat the request or its own
 * settings in a response, which is stored and shown by the API.
 */
export class AccountMasks {
  readonly #box: SecretBox;
  readonly #secretValues: SecretValues;
  readonly #masks = new LRUCache<string, Mask, { account: AccountSecrets; token: string | undefined }>({
    max: keptMasks,
    memoMethod: (_key, _stale, { context: { account, token } }) =>
      createMask([...this.#secretsOf(account), ...(token === undefined ? [] : [token])]),
  });

  constructor(options: { box: SecretBox; secretValues: SecretValues }) {
    this.#box = options.box;
    this.#secretValues = options.secretValues;
  }

  /**
   * The mask for an account's current secrets.
   *
   * @param token the access token with which a request was sent
   */
  of(account: AccountSecrets, token?: string): Mask {
    return this.#masks.memo(`${keyOf(account)} ${token ?? ''}`, { context: { account, token } });
  }

  #secretsOfOptions({ id, consumer, sealedOptions: sealed }: AccountSecrets): string[] {
    const { authentication, signatureKey, previous } = openOptions(this.#box, consumer?.id ?? id, sealed) ?? {};
    return [
      ...(authentication ? secretsOfAuthentication(authentication) : []),
      // Compared without padding, as in `base64`.
      ...(signatureKey ? [signatureKey.replace(/=+$/, '')] : []),
      ...Object.values(previous ?? {}).map(({ secret }) => secret),
    ];
  }

  #secretsOfConsumer(consumer: ConsumerAddress | null): (string | null)[] {
    if (consumer === null) return [];
    const open = (sealed: Uint8Array | null, field: string) =>
      sealed === null ? null : this.#box.open(sealed, { accountId: consumer.id, field });
    return [
      open(consumer.secret, consumerFields.secret),
      ...secretsOfCredentials(open(consumer.urlCredentials, consumerFields.credentials)),
    ];
  }

  /** All decrypted secrets, in the forms in which they occur in requests and settings. */
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
      ...this.#secretsOfConsumer(account.consumer),
      ...this.#secretsOfOptions(account),
    ].filter((secret) => secret !== null);
    return secrets
      .flatMap((secret) => [secret, secret.replace(/^whsec_/, '')])
      .filter((secret) => secret.length >= fewestCharacters)
      .flatMap((secret) => [secret, base64(secret)]);
  }
}

/** The user is a secret only without a password: some services use a token as the user. */
function secretsOfCredentials(credentials: string | null): string[] {
  if (credentials === null) return [];
  const [user, password] = splitCredentials(credentials).map(decoded);
  if (user === undefined || password === undefined) return [];
  return [password === '' ? user : password, `${user}:${password}`];
}

/** Base64 without padding, which matches text with and without padding. */
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, '');

/** The cache key. Encrypted values begin with a random nonce, so different secrets always have different keys. */
function keyOf(account: AccountSecrets): string {
  const boxes = [
    ...[account.signingSecretCurrent, account.signingSecretPrevious, account.providerConfig],
    ...[account.deliverySecret, account.deliveryUrlCredentials],
    ...[account.projectDeliverySecret, account.projectDeliveryUrlCredentials],
    ...[account.consumer?.secret ?? null, account.consumer?.urlCredentials ?? null, account.sealedOptions],
  ];
  return `${account.id} ${account.provider} ${boxes.map((box) => (box ? Buffer.from(box).toString('latin1') : '')).join(' ')}`;
}

/** The encrypted secrets in an account's row, and those of one of its consumers; null: `default`. */
export function accountSecrets(
  account: AccountRow,
  { consumer, sealedOptions }: Pick<AccountSecrets, 'consumer' | 'sealedOptions'>,
): AccountSecrets {
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
    consumer,
    sealedOptions,
  };
}
