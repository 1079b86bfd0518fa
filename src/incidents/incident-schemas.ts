import { z } from 'zod';
import { limit, textFilter } from '../http/admin/query-schemas.ts';
import { count, id, text, timestamp } from '../http/admin/schemas/common.ts';
import { text as givenText } from '../shared/text-rules.ts';
import { incidentKinds, incidentStates } from './incident.ts';

/** Failing events of an incident are counted up to this number, so that a list of incidents stays quick. */
export const mostCounted = 10_000;

const counted = `Counted up to ${mostCounted.toLocaleString('en')}. \`null\` for other kinds than \`delivery\``;

const columns = {
  id,
  kind: z.enum(incidentKinds).meta({
    description:
      '`delivery`: a consumer fails; `rejections`: webhooks of an account are rejected; `gateway`: the gateway itself',
  }),
  state: z.enum(incidentStates),
  account_id: id.nullable(),
  provider: text.nullable(),
  account_slug: text.nullable(),
  app_key: text.nullable(),
  consumer: text.nullable().meta({ description: 'Name of the consumer; `null` for other kinds than `delivery`' }),
  cause: text.meta({
    description:
      'The status or the outcome with the first line of the answer, in which `#` stands for digits and ids; the reason of rejected webhooks; or what the gateway lacks',
  }),
  first_seen_at: timestamp.meta({ description: 'Time of the first failure' }),
  last_seen_at: timestamp.meta({ description: 'Time of the last failure' }),
  attempts: count.meta({ description: 'Failed attempts, or rejected webhooks' }),
  example_event_id: id.nullable().meta({ description: 'The last event that failed' }),
  acknowledged_by: text.nullable().meta({ description: 'Name of the token' }),
  acknowledged_at: timestamp.nullable(),
  resolved_by: text.nullable().meta({ description: 'Name of the token; `null`: resolved by itself, or not resolved' }),
  resolved_at: timestamp.nullable(),
  reopened_at: timestamp.nullable(),
  note: text.nullable(),
  paused: z
    .object({ by: z.enum(['account', 'consumer']), since: timestamp, reason: text.nullable() })
    .nullable()
    .meta({ description: 'The pause of the consumer or of its account; `null`: there is none' }),
};

/** An incident as the stream reports it. */
export const incidentItem = z.object(columns);

const example = {
  id: '01a20281-79fb-71bb-9354-28b571c7eeaf',
  kind: 'delivery' as const,
  state: 'open' as const,
  account_id: '01a1fb47-2990-7103-bb77-1c90fa89b69e',
  provider: 'stripe',
  account_slug: 'shop-eu',
  app_key: 'my-app',
  consumer: 'default',
  cause: "500 TypeError: Cannot read properties of null (reading 'id')",
  first_seen_at: '2026-11-20T22:23:07.000Z',
  last_seen_at: '2026-11-20T22:31:12.000Z',
  attempts: 131,
  example_event_id: '01a20280-11fb-71bb-9354-28b571c7aa01',
  acknowledged_by: null,
  acknowledged_at: null,
  resolved_by: null,
  resolved_at: null,
  reopened_at: null,
  note: null,
  paused: null,
};

/** An incident with its failing events. */
export const incident = z
  .object({
    ...columns,
    waiting: count.nullable().meta({
      description: `Events of the consumer that have failed and wait for another attempt, with any cause. ${counted}`,
    }),
    exhausted: count.nullable().meta({
      description: `Events of the consumer whose attempts are used up, and that were neither replayed nor acknowledged. ${counted}`,
    }),
  })
  .meta({ id: 'Incident', examples: [{ ...example, waiting: 76, exhausted: 3 }] });

/** What the list can be filtered by, besides the states: resolved by themselves, with events that are not over. */
const shownStates = [...incidentStates, 'unfinished'] as const;
export type ShownState = (typeof shownStates)[number];

const isShownState = (given: string): given is ShownState => shownStates.some((state) => state === given);

export const incidentListQuery = z.strictObject({
  // The typed client repeats the parameter for each of several values.
  state: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((states) => states.split(',')))
    .refine((given) => given.every(isShownState), `must be of ${shownStates.join(', ')}, separated by commas`)
    .transform((given) => given.filter(isShownState))
    .meta({
      description:
        'One or more of `open`, `acknowledged`, `resolved` and `unfinished`, separated by commas. `unfinished`: resolved by themselves, with events that still wait or are exhausted',
      override: {
        type: 'string',
        anyOf: undefined,
        pattern: `^(${shownStates.join('|')})(,(${shownStates.join('|')}))*$`,
      },
    })
    .optional(),
  kind: z.enum(incidentKinds).optional(),
  account_id: z
    .uuid()
    .transform((given) => given.toLowerCase())
    .optional(),
  account_slug: textFilter,
  consumer: textFilter.meta({ description: 'Name of the consumer' }),
  limit,
});

export const incidentChange = z
  .strictObject({
    state: z.enum(incidentStates).optional().meta({
      description:
        '`acknowledged`: a person takes care of it; `resolved`: it is closed, also with events that are left; `open`: neither',
    }),
    note: givenText(2000).nullable().optional().meta({ description: 'Replaces the note; `null` removes it' }),
  })
  .refine(({ state, note }) => state !== undefined || note !== undefined, 'must have state or note')
  .meta({ override: { minProperties: 1 } });
