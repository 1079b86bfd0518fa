/** The filters of a list, with their names in the API and in the address. */
export const filterLabels = {
  provider: 'Provider',
  account_slug: 'Account',
  consumer: 'Consumer',
  event_type: 'Event type',
  delivery_status: 'Delivery',
  status: 'Status',
  app_key: 'App',
  external_id: 'External id',
  skipped: 'Skipped',
} as const;

export type FilterName = keyof typeof filterLabels;

/** Every name that an address of a list may have. */
export const listFilterNames = [...(Object.keys(filterLabels) as FilterName[]), 'since', 'until'] as const;
