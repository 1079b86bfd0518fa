import { hash } from 'node:crypto';
import type { SecretBox } from '../secrets/secret-box.ts';
import { oncePer } from '../shared/once-per.ts';
import type { TlsSettings } from '../shared/tls/settings.ts';
import { authenticationHeader, type OAuthClient, oauthClient } from './authentication.ts';
import {
  consumerFields,
  type OutboundSecret,
  openOptions,
  type PreviousSecret,
  type SealedOptions,
} from './sealed-options.ts';
import { joinUrl } from './url-credentials.ts';

/** An account's delivery URLs and secrets, or those of one of its consumers. Secrets and the credentials of the URLs are encrypted. */
export interface DeliveryAddresses {
  id: string;
  deliveryUrl: string | null;
  deliveryUrlCredentials: Uint8Array | null;
  deliverySecret: Uint8Array | null;
  projectDeliveryUrl: string | null;
  projectDeliveryUrlCredentials: Uint8Array | null;
  projectDeliverySecret: Uint8Array | null;
  /** The consumer that is meant; null: `default`, which has the addresses above. */
  consumer: ConsumerAddress | null;
  /** The secret settings of the consumer that is meant, encrypted (sealed-options.ts); null: none. */
  sealedOptions: Uint8Array | null;
}

/** The address of a consumer other than `default`. The secret and the credentials of the URL are encrypted. */
export interface ConsumerAddress {
  id: string;
  url: string;
  urlCredentials: Uint8Array | null;
  secret: Uint8Array | null;
}

/** With what a delivery is signed: a secret, and the one that it has replaced; or a private key of Ed25519. */
export type Signing = { secret: string; previous: PreviousSecret | null } | { key: string };

export type DeliveryTarget =
  | {
      ok: true;
      url: string;
      /** The URL as it is shown; see `shownUrl`. */
      shown: string | null;
      /** Null: not signed. */
      signing: Signing | null;
      /** The header with which the delivery authenticates; null: none. */
      authentication: readonly [name: string, value: string] | null;
      /** Whose access token the delivery is sent with; null: none. */
      oauth: OAuthClient | null;
      /** What the consumer demands of TLS; null: nothing. */
      tls: TlsSettings | null;
    }
  /** `error` is a text for operators and contains no secret. */
  | { ok: false; outcome: 'no_delivery_url' | 'secret_unreadable'; error: string };

/** An address with the fields of its encrypted values, and the id with which these are sealed. */
interface SealedAddress {
  ownerId: string;
  url: string | null;
  credentials: { field: string; sealed: Uint8Array | null };
  secret: { field: string; sealed: Uint8Array | null };
  /** The name of the secret among the previous ones. */
  secretName: OutboundSecret;
}

/**
 * Where the events of a consumer go. For `default`: `delivery_url` with its secret; if it is not set,
 * `project_delivery_url` with its secret (docs/delivery.md).
 */
export function deliveryTarget(account: DeliveryAddresses, box: SecretBox): DeliveryTarget {
  const { ownerId, url: bare, credentials: sealedCredentials, secret: sealedSecret, secretName } = addressOf(account);
  if (bare === null) return { ok: false, outcome: 'no_delivery_url', error: 'the account has no delivery URL' };
  const open = ({ sealed, field }: { field: string; sealed: Uint8Array | null }) =>
    sealed === null ? null : (box.open(sealed, { accountId: ownerId, field }) ?? undefined);
  const options = openOptions(box, ownerId, account.sealedOptions);
  if (options === null) return unreadable(consumerFields.sealedOptions);
  const { authentication, signatureKey, previous } = options;
  const secret = signatureKey === undefined ? open(sealedSecret) : null;
  // Not sent unsigned: consumers would either refuse the delivery or learn to accept unsigned ones.
  if (secret === undefined) return unreadable(sealedSecret.field);
  const credentials = open(sealedCredentials);
  if (credentials === undefined) return unreadable(sealedCredentials.field);
  const url = joinUrl({ url: bare, credentials });
  return {
    ...{ ok: true, url, shown: shownUrl(url) },
    signing: signingOf({ signatureKey, secret, previous: previous?.[secretName] ?? null }),
    authentication: authentication ? authenticationHeader(authentication) : null,
    oauth: oauthClient(authentication),
    tls: tlsOf(options),
  };
}

function tlsOf({ ca, authentication }: SealedOptions): TlsSettings | null {
  const own = authentication?.type === 'mtls' ? authentication : null;
  if (ca === undefined && own === null) return null;
  return {
    key: hash('sha256', JSON.stringify([ca, own?.certificate, own?.key]), 'base64'),
    ...(ca !== undefined && { ca }),
    ...(own !== null && { certificate: own.certificate, privateKey: own.key }),
  };
}

function signingOf(of: {
  signatureKey: string | undefined;
  secret: string | null;
  previous: PreviousSecret | null;
}): Signing | null {
  const { signatureKey, secret, previous } = of;
  if (signatureKey !== undefined) return { key: signatureKey };
  return secret === null ? null : { secret, previous };
}

function addressOf(account: DeliveryAddresses): SealedAddress {
  const { id, consumer } = account;
  if (consumer !== null)
    return {
      ...{ ownerId: consumer.id, url: consumer.url },
      credentials: { field: consumerFields.credentials, sealed: consumer.urlCredentials },
      secret: { field: consumerFields.secret, sealed: consumer.secret },
      secretName: 'secret',
    };
  const own = account.deliveryUrl !== null;
  const prefix = own ? '' : 'project_';
  return {
    ...{ ownerId: id, url: own ? account.deliveryUrl : account.projectDeliveryUrl },
    credentials: {
      field: `${prefix}delivery_url_credentials`,
      sealed: own ? account.deliveryUrlCredentials : account.projectDeliveryUrlCredentials,
    },
    secret: {
      field: `${prefix}delivery_secret`,
      sealed: own ? account.deliverySecret : account.projectDeliverySecret,
    },
    secretName: own ? 'delivery_secret' : 'project_delivery_secret',
  };
}

/** Remembers the targets of accounts while their rows are in memory, because decrypting takes as long as signing. */
export class DeliveryTargets {
  readonly of: (account: DeliveryAddresses) => DeliveryTarget;

  constructor(box: SecretBox) {
    this.of = oncePer((account) => deliveryTarget(account, box));
  }
}

const unreadable = (field: string): DeliveryTarget => ({
  ok: false,
  outcome: 'secret_unreadable',
  error: `the ${field} does not decrypt with SECRETS_KEY`,
});

/** A URL without its possible secrets: user, password and query. Null when the text is not a URL. */
function shownUrl(text: string): string | null {
  const url = URL.parse(text);
  return url && `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
