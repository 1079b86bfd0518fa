import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** An account of a provider (R10). Secrets are encrypted with AES-256-GCM (src/secrets/secret-box.ts). */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary(),
    provider: p.text(),
    account_slug: p.string().length(100),
    app_key: p.string().length(50),
    org_id: p.string().length(100).nullable(),
    signing_secret_current: p.blob().nullable(),
    signing_secret_previous: p.blob().nullable(),
    /** Null: the previous secret has no end. Read it with `previousSecret`. */
    signing_secret_previous_expires_at: p.datetime().nullable(),
    provider_config: p.blob().nullable(),
    skip_signature_verification: p.boolean(),
    /** Without user and password, which are encrypted in `delivery_url_credentials`. */
    delivery_url: p.text().nullable(),
    delivery_url_credentials: p.blob().nullable(),
    delivery_secret: p.blob().nullable(),
    project_id: p.string().length(100).nullable(),
    project_delivery_url: p.text().nullable(),
    project_delivery_url_credentials: p.blob().nullable(),
    project_delivery_secret: p.blob().nullable(),
    enabled: p.boolean(),
    /** Increased by each change that decides which consumers get a webhook (src/consumers/). */
    consumers_revision: p.integer(),
    /** Deliveries to all consumers of the account are paused. */
    paused_since: p.datetime().nullable(),
    pause_reason: p.text().nullable(),
    created_at: p.datetime(),
    updated_at: p.datetime(),
    deleted_at: p.datetime().nullable(),
  },
});

export type AccountRow = InferEntity<typeof AccountEntity>;

export const secretFields = [
  'signing_secret_current',
  'signing_secret_previous',
  'delivery_secret',
  'project_delivery_secret',
] as const;
export type SecretField = (typeof secretFields)[number];
