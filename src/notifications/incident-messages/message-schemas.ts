import { z } from 'zod';
import { count, flag, id, text, timestamp } from '../../http/admin/schemas/common.ts';
import { destinationTypes } from '../destinations/destination-config.ts';

/** A message about an incident to one destination. */
export const incidentMessage = z
  .object({
    id: id.meta({ description: 'Also the name of the message, unless it is sent together with others' }),
    destination_id: id,
    name: text.meta({ description: 'Name of the destination when the message was recorded' }),
    destination_type: z.enum(destinationTypes),
    kind: z.enum(['incident.opened', 'incident.resolved']),
    reminder: flag.meta({ description: 'Whether it reminds of an incident that is still open' }),
    status: z.enum(['pending', 'sent', 'failed', 'obsolete']).meta({
      description:
        '`obsolete`: a later change of the incident, or the deletion of its account, came before it was sent, so it is not sent',
    }),
    attempts: count.meta({
      description: 'Number of tries. For a day, those that are answered with `Retry-After` do not count',
    }),
    error: text.nullable().meta({ description: 'Why the last try failed' }),
    created_at: timestamp.meta({ description: 'When the incident changed, or the reminder was due' }),
    next_attempt_at: timestamp.nullable().meta({
      description: 'While it is `pending`: when it is sent at the earliest, or when the present try ends at the latest',
    }),
    sent_at: timestamp.nullable(),
    sent_with: count.meta({
      description: 'Number of messages, also about other incidents, that were sent as one with this one',
    }),
  })
  .meta({
    id: 'IncidentMessage',
    examples: [
      {
        id: '01a20281-8d4a-7c8e-b0d1-6f1f0cf4b1aa',
        destination_id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
        name: 'On-call',
        destination_type: 'email',
        kind: 'incident.opened',
        reminder: false,
        status: 'sent',
        attempts: 1,
        error: null,
        created_at: '2026-11-20T22:23:12.000Z',
        next_attempt_at: null,
        sent_at: '2026-11-20T22:23:13.000Z',
        sent_with: 0,
      },
    ],
  });
