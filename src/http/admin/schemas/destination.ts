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
  .meta({ id: 'Destination' });
