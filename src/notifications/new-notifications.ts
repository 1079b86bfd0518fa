import type { Sql } from '../database/sql.ts';
import type { EventRow } from '../events/event.ts';
import { columnsOf } from '../shared/columns-of.ts';
import type { NotificationStatus, ToldDestination } from './notification.ts';

/** A notification to insert. `event` is the row as changed by the transaction. */
export interface NewNotification {
  event: EventRow;
  destination: ToldDestination;
  ordinal: number;
  status: NotificationStatus;
  error: string | null;
  summaryId: string | null;
}

// A config may have kilobytes, so it is sent once for each destination, not once for each notification.
const insertNotifications = {
  name: 'insert_notifications',
  text: `
    insert into notifications (event_id, generation, destination_id, account_id, destination_type, name, config, ordinal, failed_at,
      event_error, event_attempts, event_response_code, status, due_at, error, summary_id)
    select n.event_id, n.generation, n.destination_id, d.account_id, d.destination_type, d.name, d.config, n.ordinal, now(),
      n.event_error, n.event_attempts, n.event_response_code, n.status, case when n.status = 'pending' then now() end, n.error, n.summary_id
    from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[], $5::integer[], $6::uuid[], $7::integer[], $8::text[], $9::text[], $10::uuid[])
      as n (event_id, generation, event_error, event_attempts, event_response_code, destination_id, ordinal, status, error, summary_id)
    join unnest($11::uuid[], $12::uuid[], $13::text[], $14::text[], $15::bytea[])
      as d (id, account_id, destination_type, name, config) on d.id = n.destination_id`,
};

export async function writeNotifications(sql: Sql, notifications: NewNotification[]): Promise<void> {
  if (notifications.length === 0) return;
  const destinations = [...new Map(notifications.map(({ destination }) => [destination.id, destination])).values()];
  const events = notifications.map(({ event }) => event);
  await sql.query(insertNotifications, [
    ...columnsOf(events, 'id', 'generation', 'last_error', 'attempts', 'response_code'),
    notifications.map(({ destination }) => destination.id),
    ...columnsOf(notifications, 'ordinal', 'status', 'error', 'summaryId'),
    ...columnsOf(destinations, 'id', 'account_id', 'destination_type', 'name', 'config'),
  ]);
}
