import type { z } from 'zod';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import { type FieldError, fieldErrors, plainWords } from '../shared/plain-words.ts';

/** The validation rules of a provider for its accounts. */
export interface ProviderRules {
  config: z.ZodType<object>;
  configProblem?(config: object): FieldError | null;
  secret: { problem?(secret: string, config?: object): string | null };
}

/** The fields of an account that its provider validates. */
export interface ProviderSettings {
  provider_config: Readonly<Record<string, unknown>>;
  signing_secret_current?: string | null | undefined;
  signing_secret_previous?: string | null | undefined;
}

/** The secrets that the provider validates. */
export const signingSecrets = ['signing_secret_current', 'signing_secret_previous'] as const;

/**
 * Validates settings by the provider's rules. Absent fields are not validated. Secrets are validated with the new
 * config, or else with `storedConfig`. A field of the stored config that the rules refuse today may stay as it is.
 * Errors name the field (`provider_config.header`) and do not repeat values.
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
  const unsafe = provider_config && config.data ? rules.configProblem?.(config.data) : null;
  if (unsafe && provider_config?.[unsafe.path] !== storedConfig[unsafe.path]) errors.push(inConfig(unsafe));
  for (const field of signingSecrets) {
    const secret = settings[field];
    const problem = secret ? (pastedWrong(secret) ?? rules.secret.problem?.(secret, config.data)) : null;
    if (problem) errors.push({ path: field, message: problem });
  }
  return errors;
}

/** What the provider refuses in new configs, of a config that is stored; an unreadable config has no warnings. */
export function configWarnings(rules: ProviderRules | undefined, config: object | null): FieldError[] {
  const parsed = config && rules?.config.safeParse(config).data;
  const problem = parsed ? rules?.configProblem?.(parsed) : null;
  return problem ? [inConfig(problem)] : [];
}

const inConfig = ({ path, message }: FieldError): FieldError => ({ path: `provider_config.${path}`, message });

/** Checks for characters that copying adds. No header can carry them, so every webhook would fail verification. */
function pastedWrong(secret: string): string | null {
  if (/^[\s\p{Cf}]|[\s\p{Cf}]$/u.test(secret)) return 'must not begin or end with a space or line break';
  // Keys in PEM format have line breaks.
  const line = secret.startsWith('-----BEGIN ') ? secret.replace(/\r?\n/g, '') : secret;
  return /\p{Cc}/u.test(line) ? 'must not have line breaks or other control characters' : null;
}

/** The place that an account's encrypted config is bound to. */
export const configPlace = (accountId: string): SecretPlace => ({ accountId, field: 'provider_config' });

/** Encrypts a config, because some contain secrets; null for an empty one. */
export function sealConfig(
  box: SecretBox,
  accountId: string,
  config: Readonly<Record<string, unknown>>,
): Buffer | null {
  if (Object.keys(config).length === 0) return null;
  return Buffer.from(box.seal(JSON.stringify(config), configPlace(accountId)));
}

/** Decrypts a stored config, without defaults; null when it cannot be decrypted with this key. */
export function openConfig(
  box: SecretBox,
  row: { id: string; provider_config?: Uint8Array | null | undefined },
): Record<string, unknown> | null {
  if (!row.provider_config) return {};
  const text = box.open(row.provider_config, configPlace(row.id));
  return text === null ? null : JSON.parse(text);
}

/** A config without its null fields. */
export function withoutNull(config: Readonly<Record<string, unknown>> | null | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config ?? {}).filter(([, value]) => value !== null));
}
