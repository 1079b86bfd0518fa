import { z } from 'zod';

/** Text for PostgreSQL: no NUL, well-formed Unicode, of a bounded length. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine(
      (value) => !value.includes('\u0000') && value.isWellFormed(),
      'must not hold NUL characters or lone surrogates',
    );
const filled = (max: number) => text(max).min(1);

/** A secret's length is bounded only against abuse; none of the providers comes near. */
const secret = text(1000);

const deliveryUrl = filled(500).refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && /^https?:\/\//i.test(value),
  'must be an absolute http: or https: URL',
);

/** The fields of an account (specification, section 2.1; `Unknown fields are refused`: design, section 6). */
export function accountSchemas(providerNames: readonly string[]) {
  const shape = {
    provider: z.string().refine((name) => providerNames.includes(name), `must be one of: ${providerNames.join(', ')}`),
    account_slug: filled(100).regex(/^[A-Za-z0-9._~-]+$/, 'may hold letters, digits and . _ ~ - only'),
    app_key: filled(50),
    org_id: text(100).nullable(),
    signing_secret_current: secret.nullable(),
    signing_secret_previous: secret.nullable(),
    skip_signature_verification: z.boolean(),
    delivery_url: deliveryUrl.nullable(),
    delivery_secret: secret.nullable(),
    project_id: text(100).nullable(),
    project_delivery_url: deliveryUrl.nullable(),
    project_delivery_secret: secret.nullable(),
    enabled: z.boolean(),
  };
  const change = z.strictObject(shape).partial();
  const create = change.required({ provider: true, account_slug: true, app_key: true });
  return { create, change };
}

export type NewAccount = z.infer<ReturnType<typeof accountSchemas>['create']>;
export type AccountChange = z.infer<ReturnType<typeof accountSchemas>['change']>;
