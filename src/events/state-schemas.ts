import { z } from 'zod';
import { count } from '../http/admin/schemas/common.ts';
import { scheduledAttempts, waitReasons } from './event.ts';
import { eventStates } from './event-state.ts';

/** The fields of an event that say its state in one word, with what a person needs beside it. */
export const stateFields = {
  state: z.enum(eventStates).meta({
    description: [
      'The state in one word, derived from `status`, `delivery_status` and what led to them.\n',
      '- `waiting`: for its first attempt, or for what `waits_for` says',
      '- `retrying`: an attempt has failed, and others follow',
      '- `delivered`: the consumer has accepted it',
      '- `exhausted`: the last attempt failed, or the account or the consumer was disabled for 7 days',
      '- `acknowledged`: a person has acknowledged it',
      '- `failed_by_person`: a person has marked it as failed, and no attempt follows',
      '- `dead`: a person has declared it dead',
      '- `rejected`: the webhook is not verified',
      '- `skipped`: no consumer wants the webhook',
      '- `ended`: its account or its consumer was deleted before it was delivered',
    ].join('\n'),
  }),
  schedule: z
    .object({ made: count, of: count })
    .nullable()
    .meta({
      description: `Scheduled attempts of the current generation that were made, and how many the schedule of the consumer has now (${scheduledAttempts} unless it has its own). \`null\`: none follows`,
    }),
  waits_for: z.enum(waitReasons).nullable().meta({
    description:
      'Why an attempt that is due is not made: deliveries are paused (all, of the account, or of the consumer), or the account or the consumer is disabled. `null`: it is made, or none is due',
  }),
};
