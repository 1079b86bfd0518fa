import { z } from 'zod';
import type { Provider } from './provider.ts';

/** The `provider_config` of providers that have nothing to configure. */
export const noConfig = z.strictObject({});

/** The largest tolerance that an account can have: a day, for as long as SendGrid retries. */
export const maxToleranceSeconds = 86_400;

/** The largest difference between the signed time and the gateway's clock, in seconds, in either direction. */
export const toleranceSeconds = z
  .int()
  .min(1)
  .max(maxToleranceSeconds)
  .default(300)
  .meta({ description: 'Largest difference between the signed time and the clock of the gateway, in seconds' });

/** The `provider_config` of providers that sign the time. */
export const timestampConfig = z.strictObject({ tolerance_seconds: toleranceSeconds });

/** The JSON Schema (draft 2020-12) of a provider's `provider_config`, as operators write it. */
export function configSchema({ config }: Pick<Provider, 'config'>) {
  const { $schema: _, ...schema } = z.toJSONSchema(config, { io: 'input' });
  return schema;
}

/** The secret values of a stored config: those of `writeOnly` fields. */
export function secretValues(provider: Pick<Provider, 'config'>, config: Readonly<Record<string, unknown>>): string[] {
  const { properties = {} } = configSchema(provider);
  return Object.entries(config).flatMap(([name, value]) => {
    const field = properties[name];
    return typeof field === 'object' && field.writeOnly === true && typeof value === 'string' ? [value] : [];
  });
}

export type ShownConfig = Record<string, string | number | boolean>;

/** A config as operators see it. Of a `writeOnly` field it shows only `has_<name>`. */
export function shownConfig(
  provider: Pick<Provider, 'config'>,
  config: Readonly<Record<string, unknown>>,
): ShownConfig {
  const { properties = {} } = configSchema(provider);
  const shown: ShownConfig = {};
  for (const [name, value] of Object.entries(config)) {
    const field = properties[name];
    if (typeof field === 'object' && field.writeOnly === true) shown[`has_${name}`] = true;
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') shown[name] = value;
  }
  return shown;
}
