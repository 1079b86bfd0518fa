import type { Sql } from '../../database/sql.ts';
import { idRange } from '../id-range.ts';
import { mostOfEach } from './most-of-each.ts';

/** What an operator can do with an event. */
export const eventActions = ['replay', 'retry', 'ack', 'fail', 'dead'] as const;

/** What an operator did with events. */
export interface DoneByOperator {
  action: (typeof eventActions)[number];
  /** The name of the token. */
  actor: string;
  /** As the operator wrote it; null: not given. */
  reason: string | null;
  /** The bulk job that did it; null: an order for one event. */
  jobId: string | null;
}

const insertActions = {
  name: 'insert_event_actions',
  text: `
    insert into event_actions (event_id, generation, at, actor, action, reason, job_id)
    select e.id, e.generation, clock_timestamp(), $4, $5, $6, $7 from events e where e.id = any($1) and e.id between $2 and $3`,
};

/**
 * Records what an operator did with events, in the transaction that did it. Later attempts and actions do not change it.
 *
 * Not in the audit log, which keeps no texts of operators, and is purged sooner than events.
 */
export async function recordActions(sql: Sql, eventIds: readonly string[], done: DoneByOperator): Promise<void> {
  if (eventIds.length === 0) return;
  // A text without a letter says nothing.
  const reason = done.reason?.trim() || null;
  await sql.query(insertActions, [eventIds, ...idRange(eventIds), done.actor, done.action, reason, done.jobId]);
}

/** The column `actions` of an event, for a statement in which `events` has the alias `e`. */
export const actionsColumn = `(
      select coalesce(json_agg(d order by d.at), '[]') from (
        select at, actor, action, generation, reason, job_id from event_actions where event_id = e.id
        order by at desc limit ${mostOfEach}
      ) d
    ) as actions`;
