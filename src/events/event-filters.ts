import { z } from 'zod';
import { flagFilter, textFilter, time } from '../http/admin/query-schemas.ts';
import { deliveryStatuses, eventStatuses } from './event.ts';

/** The filters that the list of events, the stream and bulk jobs have in common. */
export const eventFilters = {
  app_key: textFilter,
  provider: textFilter,
  event_type: textFilter,
  account_slug: textFilter,
  external_id: textFilter,
  consumer: textFilter.meta({ description: 'Only events of consumers of this name' }),
  skipped: flagFilter.meta({ description: '`true`: only webhooks that no consumer gets; `false`: all others' }),
  status: z.enum(eventStatuses).optional(),
  delivery_status: z.enum(deliveryStatuses).optional(),
  since: time.meta({ description: 'Only events received after this time' }),
  until: time.meta({ description: 'Only events received before this time' }),
};

export type EventFilters = z.infer<z.ZodObject<typeof eventFilters>>;

/** The filters whose columns never change. */
export const equalityFilters = ['app_key', 'provider', 'event_type', 'account_slug', 'external_id'] as const;
