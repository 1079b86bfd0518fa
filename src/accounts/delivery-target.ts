import type { SecretBox } from '../secrets/secret-box.ts';

/** What an account says about where its events go. Secrets are sealed. */
export interface DeliveryAddresses {
  id: string;
  deliveryUrl: string | null;
  deliverySecret: Uint8Array | null;
  projectDeliveryUrl: string | null;
  projectDeliverySecret: Uint8Array | null;
}

export type DeliveryTarget =
  | { ok: true; url: string; secret: string | null }
  /** `error` is for people and holds no secret. */
  | { ok: false; outcome: 'no_delivery_url' | 'secret_unreadable'; error: string };

/** `delivery_url` with its secret; without it the project's, with that secret (design, section 5). */
export function deliveryTarget(account: DeliveryAddresses, box: SecretBox): DeliveryTarget {
  const own = account.deliveryUrl !== null;
  const url = own ? account.deliveryUrl : account.projectDeliveryUrl;
  if (url === null) return { ok: false, outcome: 'no_delivery_url', error: 'the account has no delivery URL' };
  const field = own ? 'delivery_secret' : 'project_delivery_secret';
  const sealed = own ? account.deliverySecret : account.projectDeliverySecret;
  if (sealed === null) return { ok: true, url, secret: null };
  const secret = box.open(sealed, { accountId: account.id, field });
  // Sent unsigned, a consumer that checks signatures would refuse it, and one that does not would be taught not to.
  if (secret === null)
    return { ok: false, outcome: 'secret_unreadable', error: `the ${field} does not decrypt with SECRETS_KEY` };
  return { ok: true, url, secret };
}

/** A URL without what may be a secret in it: user, password and query. Null when it is none. */
export function shownUrl(text: string): string | null {
  const url = URL.parse(text);
  return url && `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}
