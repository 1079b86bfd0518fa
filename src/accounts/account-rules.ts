import { z } from 'zod';
import type { FieldError } from '../shared/plain-words.ts';
import { filled, secret, text } from '../shared/text-rules.ts';
import { type AddressRules, deliveryUrl } from './address-rules.ts';
import { type ProviderRules, settingsErrors, withoutNull } from './provider-settings.ts';

/** Settings of any provider. The schema of the account's provider defines the fields and their values. */
const providerConfig = z.record(text(100), z.union([text(1000), z.number(), z.boolean(), z.null()])).meta({
  description: "Settings of the account's provider: see `GET /admin/providers`. A field that is `null` is removed",
});

const isoTime = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-11-20T10:00:00Z' });

/** The end of a previous secret that signs deliveries (src/accounts/outbound-rotation.ts). */
export const outboundEnd = isoTime.nullable().meta({
  description:
    'Until when deliveries are also signed with the previous secret, at most 7 days ahead: with `rotate`, 24 hours if it is absent, or alone. `null` ends it at once',
});

export const replacePrevious = z.boolean().meta({
  description: 'With `rotate`: drops the previous secret that is in force. Without it, the answer is then 409',
});

/** What becomes of the secrets that a change replaces (src/accounts/signing-rotation.ts, outbound-rotation.ts). */
const rotation = {
  rotate: z.boolean().meta({
    description:
      'With a new `signing_secret_current`, `delivery_secret` or `project_delivery_secret`: keeps the stored one of each that is sent as the previous one',
  }),
  replace_previous: replacePrevious,
  signing_secret_previous_expires_at: isoTime
    .nullable()
    .meta({ description: 'Until when the previous secret is accepted; `null`: until it is removed' }),
  delivery_secret_previous_expires_at: outboundEnd,
  project_delivery_secret_previous_expires_at: outboundEnd,
};

/** Dot segments are refused in the addresses of webhooks (src/http/request-target.ts). */
const slugPattern = /^(?!\.\.?$)[A-Za-z0-9._~-]+$/;

const ifUpdatedAt = isoTime.meta({
  description:
    'The `updated_at` of the account that the change was decided on: if the account was changed since, the answer is 409, and nothing changes',
});

const providerSettings = z.object({
  provider: z.string(),
  provider_config: providerConfig.nullish(),
  signing_secret_current: secret.nullish(),
  signing_secret_previous: secret.nullish(),
});

/** The fields of an account (R10, R13); unknown fields are refused. */
export function accountSchemas(
  providers: ReadonlyMap<string, ProviderRules>,
  addresses: Pick<AddressRules, 'refusal'>,
) {
  const url = deliveryUrl(addresses);
  const shape = {
    provider: z.enum([...providers.keys()]),
    account_slug: filled(100).regex(
      slugPattern,
      'may contain only letters, digits and . _ ~ -, and must not be . or ..',
    ),
    app_key: filled(50),
    org_id: text(100).nullable(),
    signing_secret_current: secret.nullable(),
    signing_secret_previous: secret.nullable(),
    provider_config: providerConfig.nullable(),
    skip_signature_verification: z.boolean(),
    delivery_url: url.nullable(),
    delivery_secret: secret.nullable(),
    project_id: text(100).nullable(),
    project_delivery_url: url.nullable(),
    project_delivery_secret: secret.nullable(),
    enabled: z.boolean(),
  };
  const change = z.strictObject({ ...shape, ...rotation, if_updated_at: ifUpdatedAt }).partial();
  const create = z
    .strictObject(shape)
    .partial()
    .required({ provider: true, account_slug: true, app_key: true })
    .superRefine(
      (body, context) => {
        const found = context.issues.map(({ path }) => path?.join('.'));
        for (const { path, message } of settingsMistakes(providers, body))
          if (!found.includes(path)) context.addIssue({ code: 'custom', path: path.split('.'), message });
      },
      // Also when other fields are wrong, so that a user gets all mistakes of a form at once.
      { when: () => true },
    );
  return { create, change, fields: shape };
}

/** What the provider refuses of a body whose fields may be of any type. */
function settingsMistakes(providers: ReadonlyMap<string, ProviderRules>, body: unknown): FieldError[] {
  const parsed = providerSettings.safeParse(body);
  const rules = parsed.success ? providers.get(parsed.data.provider) : undefined;
  return rules
    ? settingsErrors(rules, { ...parsed.data, provider_config: withoutNull(parsed.data?.provider_config) })
    : [];
}

export type NewAccount = z.infer<ReturnType<typeof accountSchemas>['create']>;
/** The body of a change: the fields, and the condition on which they are changed. */
export type ConditionalChange = z.infer<ReturnType<typeof accountSchemas>['change']>;
export type AccountChange = Omit<ConditionalChange, 'if_updated_at'>;
