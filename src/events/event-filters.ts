import { z } from 'zod';
import { cursor, flagFilter, textFilter, time } from '../http/admin/query-schemas.ts';
import { deliveryStatuses, eventStatuses } from './event.ts';
import { eventStates } from './event-state.ts';

/** A status code, as a text in a query string or as a number in JSON. */
const statusCode = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\d{3}$/)
        .transform(Number),
    ],
    { error: 'must be a status code such as 500' },
  )
  .refine((code) => code >= 100 && code <= 599, 'must be between 100 and 599')
  .meta({ override: { type: 'integer', minimum: 100, maximum: 599 } })
  .optional();

/** The filters that the list of events, the stream and bulk jobs have in common. */
export const eventFilters = {
  app_key: textFilter,
  provider: textFilter,
  event_type: textFilter,
  account_slug: textFilter,
  account_id: cursor.meta({ description: 'Only events of this account, also those from before its slug was changed' }),
  external_id: textFilter,
  consumer: textFilter.meta({ description: 'Only events of consumers of this name' }),
  job: cursor.meta({ description: 'Only events that this bulk job was the last to change or make' }),
  skipped: flagFilter.meta({ description: '`true`: only webhooks that no consumer gets; `false`: all others' }),
  state: z
    .enum(eventStates)
    .optional()
    .meta({ description: 'The state in one word, which `status` and `delivery_status` tell in two' }),
  status: z.enum(eventStatuses).optional(),
  delivery_status: z.enum(deliveryStatuses).optional(),
  response_code: statusCode.meta({ description: 'Only events whose last attempt was answered with this status code' }),
  since: time.meta({ description: 'Only events received after this time' }),
  until: time.meta({ description: 'Only events received before this time' }),
};

export type EventFilters = z.infer<z.ZodObject<typeof eventFilters>>;

/** The filters of the list of events and of bulk jobs. A stream cannot have the last two, which need the database. */
export const listFilters = {
  ...eventFilters,
  cause: textFilter.meta({
    description:
      'Only events that wait for another attempt or are undelivered, whose last attempt had this outcome: `http_error`, `timeout`, `connection_refused` …',
  }),
  incident: cursor.meta({
    description:
      'Only events of this incident: those of its consumer that have failed since it began and wait for another attempt or are exhausted; for `rejections` the webhooks that were rejected for its reason',
  }),
};

/** The accounts to which the token of a call is limited; absent or null: all. Not a filter that callers give. */
export interface WithinAccounts {
  accountIds?: readonly string[] | null | undefined;
}

export type ListFilters = z.infer<z.ZodObject<typeof listFilters>> & WithinAccounts;

/** The filters whose columns never change. */
export const equalityFilters = [
  'app_key',
  'provider',
  'event_type',
  'account_slug',
  'account_id',
  'external_id',
] as const;
