import type { ListFilters, WithinAccounts } from '../../../../../events/event-filters.ts';

/** The filters of a list, with their names in the API and in the address: all of them, or an address would list other events. */
export const filterLabels = {
  provider: 'Provider',
  account_slug: 'Account',
  account_id: 'Account id',
  consumer: 'Consumer',
  event_type: 'Event type',
  state: 'State',
  response_code: 'Status code',
  cause: 'Cause',
  delivery_status: 'Delivery',
  status: 'Status',
  app_key: 'App',
  external_id: 'External id',
  skipped: 'Skipped',
  job: 'Bulk job',
  incident: 'Incident',
} as const satisfies Record<Exclude<keyof ListFilters, keyof WithinAccounts | 'since' | 'until'>, string>;

export type FilterName = keyof typeof filterLabels;

/**
 * Filters without a pill until an address has them: those that links of other pages set, and two of the API that `state`
 * combines.
 */
export const linkedFilters: readonly FilterName[] = ['account_id', 'job', 'incident', 'delivery_status', 'status'];

/** Filters whose lists have all values that find an event: the API refuses others, or no event has them. */
export const closedFilters: readonly FilterName[] = ['state', 'cause', 'delivery_status', 'status', 'skipped'];

/** Every name that an address of a list may have. */
export const listFilterNames = [...(Object.keys(filterLabels) as FilterName[]), 'since', 'until'] as const;
