import { z } from 'zod';
import { flag, id, text, timestamp } from '../http/admin/schemas/common.ts';
import { pauseShown } from './pause.ts';

const shownUrl = text.nullable().meta({
  description: 'A user and password in the URL are shown as `[masked]`: `https://[masked]@consumer.example/`',
});

/** The end of a previous secret that signs deliveries, as it is shown. */
export const previousEndShown = timestamp.nullable().meta({
  description: 'Until when deliveries are also signed with the previous secret; `null`: there is none',
});

const summary = {
  id,
  provider: text.meta({ example: 'generic' }),
  account_slug: text.meta({ example: 'shop' }),
  app_key: text.meta({ example: 'my-app' }),
  org_id: text.nullable(),
  delivery_url: shownUrl.meta({ example: 'https://consumer.example/hook' }),
  enabled: flag,
  skip_signature_verification: flag,
};

const summaryExample = {
  id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
  provider: 'generic',
  account_slug: 'shop',
  app_key: 'my-app',
  org_id: null,
  delivery_url: 'https://consumer.example/hook',
  enabled: true,
  skip_signature_verification: false,
};

/** An account as the list shows it (R14). */
export const accountSummary = z.object(summary).meta({ id: 'AccountSummary', examples: [summaryExample] });

/** One account with all fields. Secrets are write-only: only `has_<secret>` is shown. */
export const account = z
  .object({
    ...summary,
    provider_config: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .nullable()
      .meta({
        description:
          'The fields that were set, without defaults. A secret field is shown as `has_<field>: true`. `null`: the stored value cannot be decrypted, or the provider is unknown',
      }),
    project_id: text.nullable(),
    project_delivery_url: shownUrl,
    has_signing_secret_current: flag,
    has_signing_secret_previous: flag,
    signing_secret_previous_expires_at: timestamp.nullable().meta({
      description: 'Until when the previous secret is accepted; `null`: until it is removed, or there is none',
    }),
    has_delivery_secret: flag,
    delivery_secret_previous_expires_at: previousEndShown,
    has_project_delivery_secret: flag,
    project_delivery_secret_previous_expires_at: previousEndShown,
    paused: pauseShown,
    created_at: timestamp,
    updated_at: timestamp,
    warnings: z.array(z.object({ path: text, message: text })).meta({
      description:
        'Settings that cannot work: a URL whose host now resolves only to addresses that are not allowed, or what a new account would be refused for, of settings that were stored before the rule about them; empty otherwise',
      example: [],
    }),
  })
  .meta({
    id: 'Account',
    examples: [
      {
        ...summaryExample,
        provider_config: {},
        project_id: null,
        project_delivery_url: null,
        has_signing_secret_current: true,
        has_signing_secret_previous: false,
        signing_secret_previous_expires_at: null,
        has_delivery_secret: true,
        delivery_secret_previous_expires_at: null,
        has_project_delivery_secret: false,
        project_delivery_secret_previous_expires_at: null,
        paused: null,
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.000Z',
        warnings: [],
      },
    ],
  });

/** The response to a successful test delivery. */
export const testDelivered = z
  .object({
    ok: z.literal(true),
    url: text.meta({ description: 'URL of the request, without credentials and query' }),
    response_code: z.int(),
    response_body: text.meta({ description: 'First 16 KiB of the response, with secrets masked' }),
    duration_ms: z.number(),
  })
  .meta({
    id: 'TestDelivered',
    examples: [
      {
        ok: true,
        url: 'https://consumer.example/hook',
        response_code: 200,
        response_body: '{"ok":true}',
        duration_ms: 41.5,
      },
    ],
  });
