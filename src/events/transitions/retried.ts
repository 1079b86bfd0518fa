import type { Sql } from '../../database/sql.ts';
import { type AttemptName, channels, eventColumns } from '../event.ts';
import { lanes } from '../lanes.ts';
import { isPaused } from '../pause.ts';
import { apply, type Operation } from './operation.ts';

/** An SQL expression: the highest number of the manual attempts of the event `e` that were made; 0: none was. */
export const lastMade = `(
        select coalesce(max(number), 0) from delivery_attempts d where d.event_id = e.id and d.generation = e.generation and d.trigger = 'manual')`;

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
      -- A person may have asked the workflow for a number that was not given to an operator (docs/temporal-web-ui.md). An
      -- attempt of the same number would not be made again.
      update events e set manual_attempts = 1 + greatest(manual_attempts, ${lastMade})
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

const withdrawRetry = {
  name: 'withdraw_retry',
  text: `update events e set manual_attempts = ${lastMade} where e.id = $1 and e.generation = $2 and e.manual_attempts = $3`,
};

/**
 * Withdraws a manual attempt that its workflow does not make, so that its bulk job does not wait for it
 * (src/events/bulk/job-results.ts). Has no effect if another one was requested since.
 */
export async function withdrawManualAttempt(sql: Sql, attempt: Retry): Promise<void> {
  await sql.query(withdrawRetry, [attempt.eventId, attempt.generation, attempt.number]);
}

const readUnmade = {
  name: 'read_unmade_retries_of',
  text: `
    select e.id as "eventId", e.generation, e.manual_attempts as number from events e
    where e.id = any($1::uuid[]) and e.manual_attempts > ${lastMade}
      -- A retry whose command still waits is passed on to the next run. Commands have no index by event: they are read once.
      and e.id not in (select c.event_id from event_commands c where c.kind = 'retry')`,
};

/** The latest retries of these events that were passed on to their workflows and are not made yet, by event id. */
export async function unmadeRetriesOf(sql: Sql, eventIds: readonly string[]): Promise<Map<string, Retry>> {
  const rows = await sql.query<Retry>(readUnmade, [eventIds]);
  return new Map(rows.map((retry) => [retry.eventId, retry]));
}

/** A manual attempt that was requested. */
type Retry = Omit<AttemptName, 'trigger'>;

/** Requests one manual attempt now, in addition to the schedule. Refused for a disabled account or consumer and during a pause. */
export function retry(sql: Sql, eventId: string): Promise<Operation> {
  return apply(sql, retryEvent, [eventId], 'needs_sending_now');
}
