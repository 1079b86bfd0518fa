import { z } from 'zod';
import { count, flag, id, text, timestamp } from '../../http/admin/schemas/common.ts';
import { isId } from '../../shared/is-id.ts';

/** Ids of one call: the rows that are in sight. */
const mostIds = 100;
const uuid = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Ids with commas between them. */
export const ids = z
  .string()
  .transform((given) => given.toLowerCase().split(','))
  .refine((given) => given.length <= mostIds && given.every(isId), `must be at most ${mostIds} ids with commas between`)
  .meta({
    description: `At most ${mostIds} ids of events, with commas between them`,
    override: { type: 'string', pattern: `^${uuid}(,${uuid}){0,${mostIds - 1}}$` },
    example: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
  })
  .optional();

const bar = z.object({
  at: timestamp,
  events: count.meta({ description: 'Received in the `step_ms` from `at`' }),
  failed: count.meta({
    description: 'Those of them that are rejected, dead or undelivered, or whose last attempt has failed',
  }),
});

export const eventCount = z
  .object({
    count: count.meta({ description: 'Counted events' }),
    exact: flag.meta({ description: '`false`: there are at least `count`, and the bars have the newest of them' }),
    from: timestamp,
    to: timestamp,
    step_ms: count.meta({ description: 'The time of one bar, in milliseconds' }),
    bars: z.array(bar).meta({ description: 'When the events were received, oldest first' }),
  })
  .meta({
    id: 'EventCount',
    examples: [
      {
        ...{ count: 3, exact: true, from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T10:02:00.000Z', step_ms: 60_000 },
        bars: [
          { at: '2026-11-20T10:00:00.000Z', events: 2, failed: 1 },
          { at: '2026-11-20T10:01:00.000Z', events: 1, failed: 0 },
        ],
      },
    ],
  });

export const lastAnswer = z
  .object({
    id,
    outcome: text.meta({ description: 'The outcome of the last attempt', example: 'http_error' }),
    started_at: timestamp,
    line: text.nullable().meta({
      description:
        'The first line of the answer’s body that is not empty, at most 200 characters; `null`: there is none',
      example: '{"error":"order 4711 does not exist"}',
    }),
  })
  .meta({
    id: 'LastAnswer',
    examples: [
      {
        ...{
          id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
          outcome: 'http_error',
          started_at: '2026-11-20T10:00:00.000Z',
        },
        line: '{"error":"order 4711 does not exist"}',
      },
    ],
  });

export const exportedEvents = z
  .custom<string>((given) => typeof given === 'object')
  .meta({
    description: 'A line for each event: JSON, or CSV with a line of names before',
    override: { type: 'string' },
    examples: [
      '{"id":"01a1fb5c-32dd-7658-a59f-f1f2e11f4782","state":"retrying","answer":"order 4711 does not exist"}\n',
    ],
  });
