import { z } from 'zod';
import { itemExample } from '../../../events/event-examples.ts';
import { eventItem } from '../../../events/event-schemas.ts';
import { count, flag, text } from '../../../http/admin/schemas/common.ts';
import { isId } from '../../../shared/is-id.ts';
import { text as bounded } from '../../../shared/text-rules.ts';
import { destinationCondition } from '../destination-condition.ts';
import { owners } from './preview.ts';

/** The longest text that an event's fields can have. */
const given = bounded(1000);

const givenVariables = z
  .strictObject({
    delivery_failed: z.boolean(),
    provider: given,
    event_type: given.nullable(),
    account_slug: given,
    app_key: given,
    consumer: given,
    attempts: z.int(),
    response_code: z.int().nullable(),
    payload: z.unknown().meta({ description: 'JSON body of the event; absent: the body is not JSON' }),
    headers: z.record(given, bounded(10_000)).meta({ description: 'Headers of the event by name' }),
  })
  .partial()
  .meta({
    description:
      'Values to evaluate the condition on. The defaults are those of an event whose attempts have all failed',
  });

export const conditionCheck = z
  .strictObject({
    condition: destinationCondition,
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
        consumer: text,
        attempts: count,
        response_code: count.nullable(),
      })
      .meta({ description: 'Values that the condition was evaluated on, without payload and headers' }),
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
          consumer: 'default',
          attempts: 10,
          response_code: 503,
        },
      },
    ],
  });

/** Far longer than a valid one, so that an editor learns the mistake. */
const unfinished = z.string().max(10_000);
const owner = z
  .enum(owners)
  .optional()
  .meta({ description: 'Whose condition it is; `destination` when absent. It decides which variables it may name' });
const accountId = z.string().refine(isId, 'must be an id').meta({ format: 'uuid' });

export const conditionPreview = z.strictObject({
  condition: unfinished.meta({ description: 'The condition as it is written, valid or not' }),
  account_id: accountId.meta({ description: 'Account on whose events the condition is evaluated' }),
  of: owner,
});

export const conditionPreviewed = z
  .object({
    ok: flag.meta({ description: 'Whether the condition is valid' }),
    error: z
      .object({
        line: count.meta({ description: 'From 1' }),
        column: count.meta({ description: 'From 1, in characters' }),
        offset: count.meta({ description: 'From 0, in UTF-16 units' }),
        message: text,
      })
      .nullable(),
    examined: count.meta({
      description:
        'Number of events on which the condition was evaluated: up to 1,000, or fewer when it reads more than 8 MiB of headers and bodies, or takes more than a second',
    }),
    matching: count.meta({ description: 'How many of them it matches' }),
    events: z.array(eventItem).meta({ description: 'The newest 20 that it matches' }),
  })
  .meta({
    id: 'ConditionPreviewed',
    examples: [{ ok: true, error: null, examined: 1000, matching: 42, events: [itemExample] }],
  });

export const conditionNamesQuery = z.strictObject({
  account_id: accountId.meta({ description: 'Account whose values are listed' }).optional(),
  of: owner,
});

export const conditionNames = z
  .object({
    variables: z.array(
      z.object({
        name: text,
        kind: z.enum(['text', 'integer', 'boolean']),
        values: z.array(z.union([text, count])).meta({ description: 'Values of events; empty for some variables' }),
      }),
    ),
    methods: z.array(text).meta({ description: 'Follow a text after a dot' }),
    functions: z.array(text).meta({ description: 'Stand before their arguments in parentheses' }),
    contents: z.array(text).meta({ description: 'Paths of the payload, and headers, of the newest 20 events' }),
    operators: z.array(text),
  })
  .meta({
    id: 'ConditionNames',
    examples: [
      {
        variables: [{ name: 'event_type', kind: 'text', values: ['order.created', 'order.paid'] }],
        methods: ['startswith', 'endswith', 'contains'],
        functions: ['exists', 'matches'],
        contents: ['payload.amount', 'header["x-github-event"]'],
        operators: ['==', '!=', '<', '<=', '>', '>=', 'in', 'and', 'or', 'not'],
      },
    ],
  });
