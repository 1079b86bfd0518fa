import { z } from 'zod';
import { isId } from '../../http/admin/query-schemas.ts';
import { count, flag, text } from '../../http/admin/schemas/common.ts';
import { text as bounded } from '../../shared/text-rules.ts';
import { conditionText } from './condition-text.ts';

/** The longest text that an event's fields can have. */
const given = bounded(1000);

const givenVariables = z
  .strictObject({
    delivery_failed: z.boolean(),
    provider: given,
    event_type: given.nullable(),
    account_slug: given,
    app_key: given,
    attempts: z.int(),
    response_code: z.int().nullable(),
  })
  .partial()
  .meta({
    description:
      'Values to evaluate the condition on. The defaults are those of an event whose attempts have all failed',
  });

export const conditionCheck = z
  .strictObject({
    condition: conditionText,
    event_id: z
      .string()
      .refine(isId, 'must be an id')
      .meta({ format: 'uuid', description: 'Event to evaluate the condition on' })
      .optional(),
    variables: givenVariables.optional(),
  })
  .refine(({ event_id, variables }) => event_id === undefined || variables === undefined, {
    path: ['variables'],
    message: 'must not be sent together with event_id',
  });

export const conditionChecked = z
  .object({
    matches: flag,
    variables: z
      .object({
        delivery_failed: flag,
        provider: text,
        event_type: text.nullable(),
        account_slug: text,
        app_key: text,
        attempts: count,
        response_code: count.nullable(),
      })
      .meta({ description: 'Values that the condition was evaluated on' }),
  })
  .meta({
    id: 'ConditionChecked',
    examples: [
      {
        matches: true,
        variables: {
          delivery_failed: true,
          provider: 'generic',
          event_type: 'order.created',
          account_slug: 'shop',
          app_key: 'my-app',
          attempts: 10,
          response_code: 503,
        },
      },
    ],
  });
