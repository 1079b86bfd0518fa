import type { Sql } from '../../database/sql.ts';
import { channels, eventColumns } from '../event.ts';
import { apply, type Operation, settleQueued } from './operation.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | `ack` | `processed` | `delivered` if it was `pending` |
 *
 * Attempts stop. The change and the workflow's command are written by one statement, so that both commit or neither
 * does.
 */
const ackEvent = {
  name: 'ack_event',
  text: `
    with before as (
      select id, delivery_status from events where id = $1 and skipped_reason is null for update
    ), e as (
      update events e set status = 'processed',
        delivery_status = case when e.delivery_status = 'pending' then 'delivered' else e.delivery_status end,
        delivered_at = case when e.delivery_status = 'pending' then now() else e.delivered_at end,
        next_attempt_at = null, failed_by_person = null
      from before b where e.id = b.id and e.id = $1
      returning e.*
    ), command as (
      insert into event_commands (event_id, kind, generation) select e.id, 'ack', e.generation from e join before b on b.id = e.id
      where b.delivery_status = 'pending'
    ), settled as (${settleQueued}
    )
    select ${eventColumns}, pg_notify('${channels.commands}', '') from e`,
};

/** Acknowledges an event: the consumer has processed it, so attempts stop. */
export function ack(sql: Sql, eventId: string): Promise<Operation> {
  return apply(sql, ackEvent, [eventId], 'any');
}
