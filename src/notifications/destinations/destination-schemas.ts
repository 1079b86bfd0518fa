import { z } from 'zod';
import { count, flag, id, text, timestamp, warnings } from '../../http/admin/schemas/common.ts';
import { destinationKinds } from './destination-kinds.ts';

const config = z
  .union([
    z.object({ url: text, has_secret: flag }),
    z.object({ addresses: z.array(text), include_payload: flag.optional() }),
    z.object({ webhook_url: text }),
  ])
  .meta({
    description:
      'Depends on `destination_type`. A secret is write-only; a user and password in a URL are shown as `[masked]`, and the path of a chat URL is shown to the role `admin` only',
  });

export const destination = z
  .object({
    id,
    destination_type: z.enum(['webhook', 'email', 'chat_one', 'chat_two']),
    name: text,
    enabled: flag,
    config,
    condition: text.nullable(),
    kinds: z.array(z.enum(destinationKinds)),
    position: count,
    warnings,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Destination',
    examples: [
      {
        id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
        destination_type: 'email',
        name: 'On-call',
        enabled: true,
        config: { addresses: ['on-call@example.com'], include_payload: true },
        condition: null,
        kinds: ['delivery.failed', 'incident.opened', 'incident.resolved'],
        position: 0,
        warnings: [],
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.000Z',
      },
    ],
  });

/** The response to a successful test of a destination. */
export const destinationTested = z
  .object({
    ok: z.literal(true),
    destination_type: z.enum(['webhook', 'email', 'chat_one', 'chat_two']),
    response_code: z.int().nullable().meta({ description: '`null`: the message was written to the outbox' }),
    response_body: text.nullable().meta({ description: 'First 16 KiB of the response, with secrets masked' }),
    duration_ms: z.number(),
    outbox_file: text
      .nullable()
      .meta({ description: 'File that the e-mail was written to, because `SENDGRID_API_KEY` is not set' }),
  })
  .meta({
    id: 'DestinationTested',
    examples: [
      {
        ok: true,
        destination_type: 'chat_one',
        response_code: 200,
        response_body: 'ok',
        duration_ms: 41,
        outbox_file: null,
      },
    ],
  });
