import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { FieldError } from '../shared/plain-words.ts';
import type { AccountRow } from './account-entity.ts';
import { maskMistake, maskOf, partUrl } from './url-credentials.ts';

/** An account's URL fields, and the columns with their encrypted credentials (`user:password`, see `partUrl`). */
export const credentialFields = {
  delivery_url: 'delivery_url_credentials',
  project_delivery_url: 'project_delivery_url_credentials',
} as const;
export type UrlField = keyof typeof credentialFields;
type CredentialField = (typeof credentialFields)[UrlField];
export const urlFields = ['delivery_url', 'project_delivery_url'] as const satisfies UrlField[];

export type UrlColumns = Partial<Record<UrlField, string | null> & Record<CredentialField, Buffer | null>>;

/**
 * The database columns for the URLs in a change, with encrypted credentials.
 *
 * A masked URL, as responses show it, keeps the stored credentials if `maskMistake` allows it. Any other mask is an
 * error, which names the field and does not repeat the value.
 *
 * @param stored the account before the change; null when it is new.
 */
export function sealUrls(
  box: SecretBox,
  accountId: string,
  sent: Partial<Record<UrlField, string | null | undefined>>,
  stored: AccountRow | null,
): { columns: UrlColumns; errors: FieldError[] } {
  const columns: UrlColumns = {};
  const errors: FieldError[] = [];
  for (const field of urlFields) {
    const text = sent[field];
    if (text === undefined) continue;
    const credentialField = credentialFields[field];
    if (text === null) {
      columns[field] = null;
      columns[credentialField] = null;
      continue;
    }
    const sealed = sealUrl(box, { accountId, field: credentialField }, text, {
      url: stored?.[field] ?? null,
      credentials: stored?.[credentialField] ?? null,
    });
    if (sealed.mistake !== null) errors.push({ path: field, message: sealed.mistake });
    columns[field] = sealed.url;
    if (sealed.credentials !== undefined) columns[credentialField] = sealed.credentials;
  }
  return { columns, errors };
}

/** A URL for the database. */
export interface SealedUrl {
  /** Without user and password. */
  url: string;
  /** Encrypted; null: the URL has none; undefined: the stored ones stay. */
  credentials: Buffer | null | undefined;
  /** Why the URL is refused; null when it is not. */
  mistake: string | null;
}

/**
 * Encrypts the credentials of a URL.
 *
 * @param place of the credentials.
 * @param stored the URL and the credentials that it replaces.
 */
export function sealUrl(
  box: SecretBox,
  place: SecretPlace,
  text: string,
  stored: { url: string | null; credentials: Uint8Array | null },
): SealedUrl {
  const { url, credentials } = partUrl(text);
  const mistake = maskMistake(text, stored.credentials === null ? null : stored.url);
  if (maskOf(text) !== 'none') return { url, credentials: undefined, mistake };
  return { url, credentials: credentials === null ? null : Buffer.from(box.seal(credentials, place)), mistake };
}
