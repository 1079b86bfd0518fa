import type { Sql } from '../../database/sql.ts';
import { channels, eventColumns } from '../event.ts';
import { lanes } from '../lanes.ts';
import { isPaused } from '../pause.ts';
import { apply, type Operation } from './operation.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | `retry` | unchanged | unchanged |
 *
 * The outcome of the manual attempt is a row of attempt-recorded.ts. The attempt's number and the workflow's command
 * are written by one statement, so that both commit or neither does.
 */
const retryEvent = {
  name: 'retry_event',
  text: `
    with e as (
      update events e set manual_attempts = 1 + greatest(manual_attempts, (
        -- A person may have asked the workflow for a number that was not given to an operator (docs/temporal-web-ui.md). An
        -- attempt of the same number would not be made again.
        select max(number) from delivery_attempts d where d.event_id = e.id and d.generation = e.generation and d.trigger = 'manual'
      ))
      from accounts a left join consumers c on c.account_id = a.id and c.id = coalesce((select consumer_id from events where id = $1), a.id)
      where e.id = $1 and e.rejection_reason is null and e.skipped_reason is null and e.status <> 'dead'
        and a.id = e.account_id and a.deleted_at is null and a.enabled and a.paused_since is null
        and c.deleted_at is null and coalesce(c.enabled, true) and c.paused_since is null and not ${isPaused}
      returning e.*
    ), command as (
      insert into event_commands (event_id, kind, generation, number) select id, 'retry', generation, manual_attempts from e
    ), hurried as (
      -- The retry waits until the event's workflow is started. In the lane of settled events, thousands may be before
      -- it.
      update event_queue q set lane = ${lanes.pendingStart} from e where q.event_id = e.id and q.lane = ${lanes.settledStart}
    )
    select ${eventColumns}, pg_notify('${channels.commands}', '') from e`,
};

/** Requests one manual attempt now, in addition to the schedule. Refused for a disabled account or consumer and during a pause. */
export function retry(sql: Sql, eventId: string): Promise<Operation> {
  return apply(sql, retryEvent, [eventId], 'needs_sending_now');
}
