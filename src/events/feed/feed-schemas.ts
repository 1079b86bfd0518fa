import { z } from 'zod';
import { limit, textFilter } from '../../http/admin/query-schemas.ts';
import { flag, text } from '../../http/admin/schemas/common.ts';
import { text as bounded } from '../../shared/text-rules.ts';
import { itemExample } from '../event-examples.ts';
import { eventItem } from '../event-schemas.ts';

/** Values of a filter. All of them, as long as they may be, fit into the 16 KiB that Node reads of a request's head. */
const mostAccounts = 50;
const mostTypes = 10;

/** A parameter that can be repeated. One value is a text, and several are a list. */
const repeated = ({ maxLength, most }: { maxLength: number; most: number }, description: string) => {
  const one = bounded(maxLength);
  const items = { type: 'string' as const, maxLength, pattern: '^[^\\u0000]*$' };
  return z
    .union([one, z.array(one).max(most)])
    .transform((given) => (typeof given === 'string' ? [given] : given))
    .optional()
    .meta({ description, override: { anyOf: undefined, type: 'array', items, maxItems: most } });
};

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of a duration such as `15m`; null for a text of another form. */
export function durationMs(given: string): number | null {
  const [, n, unit] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
  return n !== undefined && (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd')
    ? Number(n) * unitMs[unit]
    : null;
}

/** The time of a `since`. Ids have no times before 1970. */
export function timeOf(since: string): Date {
  const backMs = durationMs(since);
  return new Date(Math.max(0, backMs === null ? Date.parse(since) : Date.now() - backMs));
}

/** Without transformations but that of lists: the typed client sends the parsed value. */
export const feedQuery = z.strictObject({
  account: repeated(
    { maxLength: 200, most: mostAccounts },
    'Only events of these accounts: `provider/slug`, an id, or `stripe/*` for all of a provider, repeated for several',
  ),
  consumer: textFilter.meta({ description: 'Only events of consumers of this name' }),
  event_type: repeated({ maxLength: 500, most: mostTypes }, 'Only events of these types, repeated for several'),
  since: z
    .union([z.iso.datetime({ offset: true }), z.iso.date(), z.string().regex(/^\d{1,6}[smhd]$/)], {
      error: 'must be an ISO 8601 time such as 2026-11-20T10:00:00Z, or a duration such as 1h',
    })
    .optional()
    .meta({
      description: 'Where to begin without a cursor: a time, or a duration back from now such as `1h`. Absent: now',
      examples: ['1h'],
    }),
  cursor: bounded(200).optional().meta({ description: 'The `cursor` of the answer before: what comes after it' }),
  limit,
  wait: z
    .string()
    .regex(/^([0-9]|[12][0-9]|30)s$/, 'must be whole seconds, at most 30s')
    .optional()
    .meta({ description: 'How long to wait for an event if there is none, at most `30s`', examples: ['5s'] }),
});

export const feedPage = z
  .object({
    data: z
      .array(
        z.object({
          event: eventItem,
          headers: z
            .array(z.tuple([text, text]))
            .meta({ description: 'Names and values in the order received; secrets are `[masked]`' }),
          body: text.meta({ description: 'The bytes as received, in Base64' }),
        }),
      )
      .meta({ description: 'In the order of the feed' }),
    cursor: text.meta({ description: 'For the next call. Opaque; valid in other processes and later releases' }),
    done: flag.meta({ description: 'Whether there is nothing more now' }),
    dropped_headers: z.array(text).meta({
      description:
        'Headers that deliveries leave out besides those of proxies (`DROPPED_HEADERS`): names, or beginnings of names that end with `*`',
    }),
  })
  .meta({
    id: 'FeedPage',
    examples: [
      {
        data: [
          {
            event: itemExample,
            headers: [['Content-Type', 'application/json']],
            body: 'eyJpZCI6Im9yZGVyLTQ3MTEifQ==',
          },
        ],
        cursor: 'AQGh-1wy3XZYpZ_x8uEfR4IAAAAAAAADLAGh-1wy3XZYpZ_x8uEfR4IAAAAAAAAAAA',
        done: true,
        dropped_headers: ['x-internal-*'],
      },
    ],
  });
