import { z } from 'zod';
import { previousEndShown } from '../accounts/account-schemas.ts';
import { pauseShown } from '../accounts/pause.ts';
import { flag, id, text, timestamp, warnings } from '../http/admin/schemas/common.ts';

/** Without secrets. */
const shownAuthentication = z
  .object({
    type: z.enum(['basic', 'bearer', 'header', 'oauth2', 'mtls', 'unreadable']).meta({
      description: '`unreadable`: it does not decrypt with `SECRETS_KEY`',
    }),
    username: text.optional().meta({ description: 'Of `basic`' }),
    name: text.optional().meta({ description: 'Of `header`' }),
    token_url: text.optional().meta({ description: 'Of `oauth2`, as the next four' }),
    client_id: text.optional(),
    client_auth: z.enum(['basic', 'body']).optional(),
    scope: text.optional(),
    audience: text.optional(),
    certificate: text.optional().meta({ description: 'Of `mtls`, in PEM' }),
    subject: text.optional().meta({ description: 'Of `mtls`' }),
    expires_at: timestamp.optional().meta({ description: 'Of `mtls`' }),
  })
  .meta({ id: 'ConsumerAuthentication' });

export const consumer = z
  .object({
    id: id.meta({ description: 'A UUIDv7; for `default`, that of the account' }),
    name: text,
    url: text.nullable().meta({
      description:
        'A user and password in the URL are shown as `[masked]`. For `default`: the `delivery_url` of the account, or its `project_delivery_url`; `null`: it has neither',
    }),
    has_secret: flag,
    secret_previous_expires_at: previousEndShown,
    signature: z.enum(['ed25519', 'unreadable']).nullable().meta({
      description:
        '`null`: the secret signs, if there is one. `unreadable`: the setting does not decrypt with `SECRETS_KEY`',
    }),
    public_key: text.nullable().meta({
      description: 'Verifies the signatures of `ed25519`: `whpk_` and the base64 of 32 bytes; `null` otherwise',
    }),
    enabled: flag,
    condition: text.nullable().meta({ description: '`null`: it gets all webhooks' }),
    paused: pauseShown,
    headers: z.record(z.string(), text).meta({ description: 'Further headers of its deliveries, by name' }),
    authentication: shownAuthentication.nullable(),
    ca: text.nullable().meta({
      description: 'Authorities that are trusted, in PEM; `null`: those of Node.js and `NODE_EXTRA_CA_CERTS`',
    }),
    timeout: text.nullable().meta({ description: 'Such as `30s`; `null`: `DELIVERY_TIMEOUT`' }),
    schedule: z
      .array(text)
      .nullable()
      .meta({ description: 'The delays between attempts; `null`: `DELIVERY_SCHEDULE`' }),
    success: z.array(text).nullable().meta({ description: '`null`: `["2xx"]`' }),
    final: z.array(text).nullable().meta({ description: '`null`: none' }),
    warnings,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Consumer',
    examples: [
      {
        id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
        name: 'billing',
        url: 'https://billing.example/hook',
        has_secret: true,
        secret_previous_expires_at: null,
        signature: null,
        public_key: null,
        enabled: true,
        condition: 'event_type.startswith("invoice.")',
        paused: null,
        headers: { 'x-team': 'billing' },
        authentication: { type: 'bearer' },
        ca: null,
        timeout: '30s',
        schedule: null,
        success: null,
        final: ['410'],
        warnings: [],
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.000Z',
      },
    ],
  });
