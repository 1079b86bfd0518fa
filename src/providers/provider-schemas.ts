import { z } from 'zod';
import { text } from '../http/admin/schemas/common.ts';

/** A provider as `GET /admin/providers` shows it. */
export const provider = z
  .object({
    name: text.meta({ description: 'Value of `provider` in its accounts' }),
    title: text,
    verification: text.meta({ description: 'How its webhooks are verified, in a few words' }),
    ingestion_path: text.meta({ description: 'Path of the ingestion address' }),
    ingestion_url: text.meta({ description: 'URL of the ingestion address, to enter at the provider' }),
    trial_url: text.nullable().meta({
      description:
        'A `delivery_url` for a trial: this gateway itself, which accepts every delivery there. Null if DELIVERY_ALLOWED_NETWORKS does not allow deliveries to it',
    }),
    secret: z.object({
      label: text.meta({ description: "The provider's own name for the signing secret" }),
      hint: text.meta({ description: 'Where to find the secret, and its format' }),
    }),
    config: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of `provider_config`' }),
    handshake: z
      .boolean()
      .meta({ description: 'Whether the address also accepts GET or HEAD, with which the provider checks it' }),
    documentation: text.meta({ description: "Path of the provider's page in the documentation" }),
  })
  .meta({
    id: 'Provider',
    examples: [
      {
        name: 'stripe',
        title: 'Stripe',
        verification: 'HMAC-SHA256 over time and body',
        ingestion_path: '/stripe/{account_slug}',
        ingestion_url: 'https://gateway.example/stripe/{account_slug}',
        trial_url: 'https://gateway.example/health/live',
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
