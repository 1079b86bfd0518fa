import { z } from 'zod';
import { count, flag, id, text, timestamp } from './common.ts';

const config = z
  .union([
    z.object({ url: text, has_secret: flag }),
    z.object({ addresses: z.array(text), include_payload: flag.optional() }),
    z.object({ webhook_url: text }),
  ])
  .meta({ description: 'By `destination_type`; a secret is write-only' });

export const destination = z
  .object({
    id,
    destination_type: z.enum(['webhook', 'email', 'chat_one', 'chat_two']),
    name: text,
    enabled: flag,
    config,
    condition: text.nullable(),
    position: count,
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
        condition: 'delivery_failed',
        position: 0,
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.000Z',
      },
    ],
  });
