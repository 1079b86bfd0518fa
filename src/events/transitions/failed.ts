import type { Sql } from '../../database/sql.ts';
import { channels, eventColumns } from '../event.ts';
import { apply, type Operation, settleQueued } from './operation.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | `fail` | `failed` | unchanged |
 *
 * Attempts continue. `failed_by_person` tells the event from one that the last attempt has failed: a success changes only the
 * latter back. The same statement declares events dead: declared-dead.ts.
 *
 * $1 the event, $2 the error or null, $3 whether the event is declared dead. The change and the workflow's command are
 * written by one statement, so that both commit or neither does.
 */
export const failEvent = {
  name: 'fail_event',
  text: `
    with before as (
      select id, delivery_status from events where id = $1 and skipped_reason is null for update
    ), e as (
      update events e set status = case when $3 then 'dead' else 'failed' end,
        failed_by_person = case when $3 then null else true end, last_error = coalesce($2, e.last_error),
        delivery_status = case when $3 and e.delivery_status = 'pending' then 'failed' else e.delivery_status end,
        next_attempt_at = case when $3 then null else e.next_attempt_at end
      from before b where e.id = b.id and e.id = $1
      returning e.*
    ), command as (
      insert into event_commands (event_id, kind, generation, dead) select e.id, 'fail', e.generation, $3 from e join before b on b.id = e.id
      where b.delivery_status = 'pending'
    ), settled as (${settleQueued}
    )
    select ${eventColumns}, pg_notify('${channels.commands}', '') from e`,
};

/** Marks an event as failed: the consumer could not process it. Attempts continue. */
export function fail(sql: Sql, eventId: string, error: string | null): Promise<Operation> {
  return apply(sql, failEvent, [eventId, error, false], 'any');
}
