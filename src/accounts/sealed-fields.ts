import type { SecretBox } from '../secrets/secret-box.ts';
import { type SecretField, secretFields } from './account-entity.ts';
import type { UrlField } from './account-urls.ts';
import type { ChangedFields } from './signing-rotation.ts';

/**
 * Separates the secrets of an account, which are encrypted, from the plain fields; URLs and `provider_config` are in neither. An
 * empty secret counts as none.
 */
export function splitFields<T extends ChangedFields>(box: SecretBox, accountId: string, input: T) {
  const secrets: Partial<Record<SecretField, Buffer | null>> = {};
  const plain = { ...input };
  delete plain.provider_config;
  delete plain.delivery_url;
  delete plain.project_delivery_url;
  for (const field of secretFields) {
    const value = input[field];
    delete plain[field];
    if (value !== undefined)
      secrets[field] = value === null || value === '' ? null : Buffer.from(box.seal(value, { accountId, field }));
  }
  const fields: Omit<T, SecretField | UrlField | 'provider_config'> = plain;
  return { secrets, plain: fields };
}
