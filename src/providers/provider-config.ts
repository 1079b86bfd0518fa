import { z } from 'zod';

/** The `provider_config` of providers that have nothing to configure. */
export const noConfig = z.strictObject({});

/** How far the time that was signed may be from ours, in seconds, before or after. */
export const toleranceSeconds = z
  .int()
  .min(1)
  .max(86_400)
  .default(300)
  .meta({ description: 'How old a signature may be, in seconds; also how far ahead its clock may be' });

/** The `provider_config` of providers that sign the time. */
export const timestampConfig = z.strictObject({ tolerance_seconds: toleranceSeconds });

/** The names of a schema's fields that are never shown. */
export function writeOnlyFields(config: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(config, { io: 'input' });
  return Object.entries(properties)
    .filter(([, schema]) => typeof schema === 'object' && schema.writeOnly === true)
    .map(([name]) => name);
}
