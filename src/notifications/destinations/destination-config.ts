import { z } from 'zod';
import { joinUrl, maskedCredentials, maskMistake, maskOf, partUrl } from '../../accounts/url-credentials.ts';
import { type FieldError, fieldErrors, plainWords } from '../../shared/plain-words.ts';
import { httpUrl, secret } from '../../shared/text-rules.ts';

export const destinationTypes = ['webhook', 'email', 'chat_one', 'chat_two'] as const;
export type DestinationType = (typeof destinationTypes)[number];

/** Far more recipients than one message needs. */
const maxAddresses = 50;
/** RFC 5321, section 4.5.3.1: a local part of 64 characters, and a path of 256 characters including two brackets. */
const address = z
  .email()
  .max(254)
  .refine((given) => given.lastIndexOf('@') <= 64, 'must be an email address');
const addresses = z.array(address).min(1).max(maxAddresses);

/** A URL without a mask. Responses show a mask in place of user and password; it would be sent as the credentials. */
const unmaskedUrl = httpUrl.refine((text) => maskOf(text) === 'none', maskedCredentials);
const chat = z.strictObject({ webhook_url: unmaskedUrl });

const typed = <Type extends DestinationType, Config extends z.ZodType>(type: Type, config: Config) =>
  z.strictObject({ destination_type: z.literal(type), config });

/** A type with its config (R22), one schema for each type. */
export const settingsSchemas = {
  webhook: typed('webhook', z.strictObject({ url: unmaskedUrl, secret: secret.nullable().optional() })),
  email: typed('email', z.strictObject({ addresses, include_payload: z.boolean().optional() })),
  chat_one: typed('chat_one', chat),
  chat_two: typed('chat_two', chat),
};

const { webhook, email, chat_one, chat_two } = settingsSchemas;
const settingsSchema = z.discriminatedUnion('destination_type', [webhook, email, chat_one, chat_two]);

/** A destination's type and the config that belongs to it. */
export type DestinationSettings = z.infer<typeof settingsSchema>;

/** Fields of a config of any type; null removes an optional field. `changedSettings` checks them against the type. */
export const configChange = z.strictObject({
  url: httpUrl.optional(),
  secret: secret.nullable().optional(),
  addresses: addresses.optional(),
  include_payload: z.boolean().nullable().optional(),
  webhook_url: httpUrl.optional(),
});
export type ConfigChange = z.infer<typeof configChange>;

export type CheckedSettings = { ok: true; settings: DestinationSettings } | { ok: false; errors: FieldError[] };

/** Validates an untrusted config for its type. Errors name the field (`config.url`) and do not repeat values. */
export function checkSettings(destination_type: DestinationType, config: unknown): CheckedSettings {
  const parsed = settingsSchema.safeParse({ destination_type, config }, { error: plainWords });
  if (parsed.success) return { ok: true, settings: parsed.data };
  return { ok: false, errors: parsed.error.issues.flatMap((one) => fieldErrors(one.path.join('.'), one.message)) };
}

/**
 * The settings after a change. The sent config is merged into the stored one field by field; a config for another type
 * must be complete. A URL with a masked user and password keeps the stored ones if scheme, host and port are the same.
 *
 * @param before the stored settings; empty for a config that cannot be read, so that a complete config repairs it.
 */
export function changedSettings(
  before: { destination_type: DestinationType; config: Readonly<Record<string, unknown>> },
  change: { destination_type?: DestinationType | undefined; config?: ConfigChange | undefined },
): CheckedSettings {
  const type = change.destination_type ?? before.destination_type;
  if (type === before.destination_type)
    return checkSettings(type, withoutEmpty({ ...before.config, ...unmasked(change.config ?? {}, before.config) }));
  return checkSettings(type, change.config && withoutEmpty(change.config));
}

/** Replaces masks in the sent URLs by the stored credentials. A mask that remains is refused by the schema. */
function unmasked(sent: ConfigChange, stored: Readonly<Record<string, unknown>>): ConfigChange {
  const config = { ...sent };
  for (const field of ['url', 'webhook_url'] as const) {
    const [text, kept] = [sent[field], stored[field]];
    if (text === undefined || typeof kept !== 'string' || maskOf(text) !== 'whole') continue;
    const { credentials } = partUrl(kept);
    if (credentials !== null && maskMistake(text, kept) === null)
      config[field] = joinUrl({ url: partUrl(text).url, credentials });
  }
  return config;
}

/** Removes the fields of a config that are undefined, null or empty. An empty secret counts as none. */
export function withoutEmpty(config: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
