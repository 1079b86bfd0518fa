import type { z } from 'zod';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import { type FieldError, fieldErrors, plainWords } from '../shared/plain-words.ts';

/** What accounts need to know of a provider. */
export interface ProviderRules {
  config: z.ZodType<object>;
  secret: { problem?(secret: string, config?: object): string | null };
}

/** The fields of an account that its provider has a say in. */
export interface ProviderSettings {
  provider_config: Readonly<Record<string, unknown>>;
  signing_secret_current?: string | null | undefined;
  signing_secret_previous?: string | null | undefined;
}

/** The secrets that the provider judges. */
export const signingSecrets = ['signing_secret_current', 'signing_secret_previous'] as const;

/**
 * Why these do not suit the provider; what is absent is not looked at, but secrets are judged by `storedConfig` where no
 * other is to take its place. The errors name the field (`provider_config.header`) and repeat no value.
 */
export function settingsErrors(
  rules: ProviderRules,
  settings: Partial<ProviderSettings>,
  storedConfig: ProviderSettings['provider_config'] = {},
): FieldError[] {
  const { provider_config } = settings;
  const config = rules.config.safeParse(provider_config ?? storedConfig, { error: plainWords });
  const issues = provider_config ? (config.error?.issues ?? []) : [];
  const errors = issues.flatMap(({ path, message }) => fieldErrors(['provider_config', ...path].join('.'), message));
  for (const field of signingSecrets) {
    const secret = settings[field];
    const problem = secret ? (pastedWrong(secret) ?? rules.secret.problem?.(secret, config.data)) : null;
    if (problem) errors.push({ path: field, message: problem });
  }
  return errors;
}

/** What the clipboard brings along. No header can carry it, so that each webhook would be refused without a hint why. */
function pastedWrong(secret: string): string | null {
  if (/^[\s\p{Cf}]|[\s\p{Cf}]$/u.test(secret)) return 'must not begin or end with a space or line break';
  // Keys as PEM have lines.
  const line = secret.startsWith('-----BEGIN ') ? secret.replace(/\r?\n/g, '') : secret;
  return /\p{Cc}/u.test(line) ? 'must not have line breaks or other control characters' : null;
}

/** Where the config of an account lives. */
export const configPlace = (accountId: string): SecretPlace => ({ accountId, field: 'provider_config' });

/** Encrypts a config for its place in the database, as some hold secrets; an empty one is null. */
export function sealConfig(
  box: SecretBox,
  accountId: string,
  config: Readonly<Record<string, unknown>>,
): Buffer | null {
  if (Object.keys(config).length === 0) return null;
  return Buffer.from(box.seal(JSON.stringify(config), configPlace(accountId)));
}

/** The stored config as it was written, without defaults; null when it does not decrypt with this key. */
export function openConfig(
  box: SecretBox,
  row: { id: string; provider_config?: Uint8Array | null | undefined },
): Record<string, unknown> | null {
  if (!row.provider_config) return {};
  const text = box.open(row.provider_config, configPlace(row.id));
  return text === null ? null : JSON.parse(text);
}
