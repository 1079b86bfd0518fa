import type { SecretBox } from '../secrets/secret-box.ts';
import { oncePer } from '../shared/once-per.ts';
import { joinUrl } from './url-credentials.ts';

/** An account's delivery URLs and secrets. Secrets and the credentials of the URLs are encrypted. */
export interface DeliveryAddresses {
  id: string;
  deliveryUrl: string | null;
  deliveryUrlCredentials: Uint8Array | null;
  deliverySecret: Uint8Array | null;
  projectDeliveryUrl: string | null;
  projectDeliveryUrlCredentials: Uint8Array | null;
  projectDeliverySecret: Uint8Array | null;
}

export type DeliveryTarget =
  | {
      ok: true;
      url: string;
      /** The URL as it is shown; see `shownUrl`. */
      shown: string | null;
      secret: string | null;
    }
  /** `error` is a text for operators and contains no secret. */
  | { ok: false; outcome: 'no_delivery_url' | 'secret_unreadable'; error: string };

/** `delivery_url` with its secret; if it is not set, `project_delivery_url` with its secret (docs/delivery.md). */
export function deliveryTarget(account: DeliveryAddresses, box: SecretBox): DeliveryTarget {
  const own = account.deliveryUrl !== null;
  const bare = own ? account.deliveryUrl : account.projectDeliveryUrl;
  if (bare === null) return { ok: false, outcome: 'no_delivery_url', error: 'the account has no delivery URL' };
  const prefix = own ? '' : 'project_';
  const open = (sealed: Uint8Array | null, field: string) =>
    sealed === null ? null : (box.open(sealed, { accountId: account.id, field }) ?? undefined);
  const secretField = `${prefix}delivery_secret`;
  const secret = open(own ? account.deliverySecret : account.projectDeliverySecret, secretField);
  // Not sent unsigned: consumers would either refuse the delivery or learn to accept unsigned ones.
  if (secret === undefined) return unreadable(secretField);
  const urlField = `${prefix}delivery_url_credentials`;
  const credentials = open(own ? account.deliveryUrlCredentials : account.projectDeliveryUrlCredentials, urlField);
  if (credentials === undefined) return unreadable(urlField);
  const url = joinUrl({ url: bare, credentials });
  return { ok: true, url, shown: shownUrl(url), secret };
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
