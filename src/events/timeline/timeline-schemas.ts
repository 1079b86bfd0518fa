import { z } from 'zod';
import { count, id, text, timestamp } from '../../http/admin/schemas/common.ts';
import { eventActions } from './event-actions.ts';

/** What an operator did with an event. */
export const eventAction = z
  .object({
    at: timestamp,
    actor: text.meta({
      description: 'Name of the token; `temporal`: a person has cancelled the workflow in Temporal',
      example: 'alice',
    }),
    action: z.enum(eventActions),
    generation: count.meta({ description: 'Generation after the action' }),
    reason: text.nullable().meta({ description: 'As the operator wrote it; `null`: not given' }),
    job_id: id.nullable().meta({ description: 'The bulk job that did it; `null`: an order for this event' }),
  })
  .meta({ id: 'EventAction' });

export type EventActionRecord = z.infer<typeof eventAction>;

/** A pause in which an event was pending. */
export const pauseMet = z
  .object({
    since: timestamp,
    until: timestamp.nullable().meta({ description: '`null`: it is in force' }),
    paused: z.enum(['everything', 'account', 'consumer']).meta({ description: 'Whose deliveries were paused' }),
    reason: text.nullable(),
    paused_by: text.nullable().meta({ description: 'Name of the token; `null`: a restore has paused' }),
    resumed_by: text.nullable(),
  })
  .meta({ id: 'PauseMet', description: 'A pause during which the event was pending' });

export type PauseRecord = z.infer<typeof pauseMet>;
