import { constantTimeEqual } from '../secrets/constant-time.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type AccountRow, secretFields } from './account-entity.ts';
import { credentialFields, urlFields } from './account-urls.ts';
import { openConfig } from './provider-settings.ts';
import { joinUrl, partUrl } from './url-credentials.ts';

/** Decrypted values by their path in a comparison, such as `consumers.billing.secret`. Unreadable ones are absent. */
export type SecretsByPath = ReadonlyMap<string, string>;

/** A URL as it is compared: with its credentials, in the form in which deliveries use it. */
export const comparedUrl = (text: string): string => joinUrl(partUrl(text));

/** The values of an account that a comparison may name. */
export function secretsOfAccount(box: SecretBox, account: AccountRow): SecretsByPath {
  const open = (sealed: Uint8Array | null | undefined, field: string) =>
    sealed ? box.open(sealed, { accountId: account.id, field }) : null;
  const urls = urlFields.map((field) => {
    const [url, sealed] = [account[field], account[credentialFields[field]]];
    if (!url || !sealed) return [field, url ?? null] as const;
    const credentials = open(sealed, credentialFields[field]);
    return [field, credentials === null ? null : joinUrl({ url, credentials })] as const;
  });
  const values: (readonly [path: string, value: unknown])[] = [
    ...secretFields.map((field) => [field, open(account[field], field)] as const),
    ...urls,
    ...Object.entries(openConfig(box, account) ?? {}).map(
      ([name, value]) => [`provider_config.${name}`, value] as const,
    ),
  ];
  return new Map(values.flatMap(([path, value]) => (typeof value === 'string' ? [[`account.${path}`, value]] : [])));
}

/**
 * The paths of the candidates that are not the stored value. The time does not depend on how many characters of a
 * candidate are right, or on which candidates are.
 */
export function differing(candidates: SecretsByPath, stored: SecretsByPath): string[] {
  return [...candidates].flatMap(([path, candidate]) => {
    const value = stored.get(path);
    const isEqual = constantTimeEqual(candidate, value ?? '');
    return isEqual && value !== undefined ? [] : [path];
  });
}
