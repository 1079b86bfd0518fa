import { z } from 'zod';
import { text } from '../http/admin/schemas/common.ts';

/** A provider as `GET /admin/providers` shows it. */
export const provider = z
  .object({
    name: text.meta({ description: "The account's `provider`" }),
    title: text,
    ingestion_path: text.meta({ description: 'Where its webhooks come in' }),
    ingestion_url: text.meta({ description: 'The same for whoever sends them' }),
    secret: z.object({
      label: text.meta({ description: 'What the provider calls the signing secret' }),
      hint: text.meta({ description: 'Where it is found, and what it looks like' }),
    }),
    config: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of `provider_config`' }),
    handshake: z
      .boolean()
      .meta({ description: 'The address also answers the GET or HEAD by which the provider checks it' }),
    documentation: text.meta({ description: 'Its page in the documentation' }),
  })
  .meta({
    id: 'Provider',
    examples: [
      {
        name: 'stripe',
        title: 'Stripe',
        ingestion_path: '/stripe/{account_slug}',
        ingestion_url: 'https://gateway.example/stripe/{account_slug}',
        secret: { label: 'Signing secret', hint: 'It begins with `whsec_`.' },
        config: {
          type: 'object',
          properties: { tolerance_seconds: { type: 'integer', minimum: 1, maximum: 86400, default: 300 } },
          additionalProperties: false,
        },
        handshake: false,
        documentation: 'docs/providers/stripe.md',
      },
    ],
  });
