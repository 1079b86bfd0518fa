import type { SecretBox } from '../secrets/secret-box.ts';
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
    const parted = text === null ? null : partUrl(text);
    if (text === null || parted === null) {
      columns[field] = null;
      columns[credentialField] = null;
      continue;
    }
    const message = maskMistake(text, stored?.[credentialField] ? (stored[field] ?? null) : null);
    if (message !== null) errors.push({ path: field, message });
    columns[field] = parted.url;
    if (maskOf(text) === 'none')
      columns[credentialField] =
        parted.credentials === null ? null : seal(box, accountId, credentialField, parted.credentials);
  }
  return { columns, errors };
}

function seal(box: SecretBox, accountId: string, field: CredentialField, credentials: string): Buffer {
  return Buffer.from(box.seal(credentials, { accountId, field }));
}
