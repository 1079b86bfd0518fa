import { z } from 'zod';
import { count, id, timestamp } from '../../http/admin/schemas/common.ts';
import { itemExample } from '../event-examples.ts';
import { eventItem } from '../event-schemas.ts';

/** The result of one search in payloads. */
export const foundPayloads = z
  .object({
    events: z.array(eventItem).meta({ description: 'Newest first' }),
    scanned: z
      .object({
        events: count.meta({ description: 'Number of events whose body was read' }),
        bytes: count.meta({ description: 'Bytes of these bodies' }),
        from: timestamp.nullable().meta({ description: 'When the oldest of them was received' }),
        to: timestamp.nullable().meta({ description: 'When the newest of them was received' }),
      })
      .meta({ description: 'What this search has read' }),
    stopped: z.enum(['end', 'found', 'scanned']).meta({
      description:
        '`end`: there are no older events that match the filters; `found`: `limit` events were found; `scanned`: the limit of events, bytes or time was reached',
    }),
    next: id.nullable().meta({ description: 'Value of `before` to continue; `null` at the end' }),
  })
  .meta({
    id: 'FoundPayloads',
    examples: [
      {
        events: [itemExample],
        scanned: {
          events: 20_000,
          bytes: 8_123_456,
          from: '2026-11-19T23:12:07.120Z',
          to: '2026-11-20T10:00:00.000Z',
        },
        stopped: 'scanned',
        next: '01a1f913-6f6a-7b2c-8b0e-5a1d7a0c1b55',
      },
    ],
  });
