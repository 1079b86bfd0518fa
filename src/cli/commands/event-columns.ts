import type { AdminApiClient } from '../../api/client.ts';
import { age } from '../output/ages.ts';
import type { Column } from '../output/column.ts';

type Rows = NonNullable<Awaited<ReturnType<AdminApiClient['events']['get']>>['data']>;
/** An event as lists show it. */
export type EventRow = Rows[number];

/** The columns of lists of events. */
export const eventColumns: readonly Column<EventRow>[] = [
  { title: 'ID', value: (row) => row.id },
  { title: 'AGE', value: (row) => age(row.received_at), right: true },
  { title: 'STATE', value: (row) => row.state },
  { title: 'TYPE', value: (row) => row.event_type, optional: true },
  { title: 'ACCOUNT', value: (row) => `${row.provider}/${row.account_slug}`, optional: true },
  { title: 'CONSUMER', value: (row) => row.consumer, optional: true },
];

/** The columns of events whose deliveries fail. */
export const failureColumns: readonly Column<EventRow>[] = [
  ...eventColumns.slice(0, 2),
  { title: 'ATTEMPTS', value: (row) => row.attempts, right: true },
  { title: 'STATUS', value: (row) => row.response_code, right: true },
  { title: 'ACCOUNT', value: (row) => `${row.provider}/${row.account_slug}`, optional: true },
  { title: 'ERROR', value: (row) => row.last_error, optional: true },
];
