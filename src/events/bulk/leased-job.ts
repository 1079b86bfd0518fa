import type { Sql } from '../../database/sql.ts';
import { lanes } from '../lanes.ts';
import { isPaused } from '../pause.ts';
import { maySend } from '../queue.ts';
import type { Outcome } from './bulk-job.ts';
import type { BulkJob } from './bulk-rows.ts';
import type { Place } from './matching-events.ts';
import { paceOf } from './pace.ts';

/** A job that this process works on, until its lease expires. */
export interface LeasedJob extends Omit<BulkJob, 'filter' | 'ids' | 'created_at' | 'started_at' | 'ended_at'> {
  consumer_id: string | null;
  error: string | null;
  /** As it was stored. */
  filter: unknown;
  event_ids: string[] | null;
  /** The accounts to which the token of the order was limited; null: all. */
  account_ids: string[] | null;
  ordered_from: string;
  next_event: string | null;
  last_event: string | null;
  slice_ms: number;
  /** The first and the last event of the last batch; null before the first one. */
  batch_from: string | null;
  batch_to: string | null;
  /** Whether deliveries are paused. */
  paused: boolean;
}

const leasedColumns = `j.id, j.action, j.error, j.filter, j.event_ids, j.state, j.reason, j.ordered_by, j.order_reason, j.ordered_from, j.total, j.done, j.failed, j.skipped,
  j.account_id, j.account_ids, j.consumer_id, j.consumer, j.condition, j.per_second, j.next_event, j.last_event, j.slice_ms, j.batch_from, j.batch_to, ${isPaused} as paused`;

/** When the next batch is due. An operator's stop sets `next_batch_at`, in this release and in the one before. */
const dueAt = 'least(next_batch_at, paced_batch_at)';
/** The assignments that make the next batch due after an SQL number of seconds. A release that knows no pace must not take a job with one. */
const dueAfter = (seconds: string) => {
  const at = `clock_timestamp() + make_interval(secs => ${seconds})`;
  return `next_batch_at = case when per_second is null then ${at} else 'infinity' end, paced_batch_at = case when per_second is not null then ${at} end`;
};

const leaseJob = {
  name: 'lease_bulk_job',
  text: `
    with due as (
      select id from bulk_jobs where ended_at is null and ${dueAt} <= now() and (lease_until is null or lease_until <= now())
      order by ${dueAt} limit 1 for update skip locked
    )
    update bulk_jobs j set lease_token = $1, lease_until = now() + make_interval(secs => $2)
    from due where j.id = due.id returning ${leasedColumns}`,
};

/** Takes the lease of the job whose next batch is due for longest; null if none is due. */
export async function leaseDueJob(sql: Sql, token: string, leaseS: number): Promise<LeasedJob | null> {
  return (await sql.query<LeasedJob>(leaseJob, [token, leaseS]))[0] ?? null;
}

const lockJob = {
  name: 'lock_bulk_job',
  text: `select ${leasedColumns} from bulk_jobs j where j.id = $1 and j.lease_token = $2 and j.ended_at is null for update of j`,
};

/**
 * Locks a job and reads it again. Null if the lease was lost: then another worker has gone on from a later position.
 *
 * @param sql must be in a transaction.
 */
export async function lockLeasedJob(sql: Sql, id: string, token: string): Promise<LeasedJob | null> {
  return (await sql.query<LeasedJob>(lockJob, [id, token]))[0] ?? null;
}

/** Events of the last batch that may still wait for their attempt when the next batch begins: half a batch. */
const mostWaiting = 100;
/** Operators' commands that may wait for Temporal when the next batch begins. */
const mostCommands = 1_000;
/** A consumer that does not respond, or a Temporal that is down, delays each batch by no more than this. */
const longestWaitS = 30;

/** The condition of an event of the last batch `$2` to `$3` of the job `$1`. Other events within those ids delay nothing. */
const ofLastBatch = (id: string) => `exists (
  select from events e where e.id = ${id} and e.id between $2 and $3 and e.bulk_job_id = $1)`;

// Events that wait for the end of a pause or for their account delay nothing, and neither do commands of queued events
// (src/engine/command-rows.ts). Without a limit, replayed events of an account would be attempted before its new ones, because claims take the oldest
// first; and an operator's commands wait behind those of a job.
const readBrake = {
  // Without a name, so that it is planned for the days of the batch.
  name: '',
  text: `
    select j.batch_at > now() - make_interval(secs => ${longestWaitS}) and case j.action
      when 'replay' then (
        select count(*) from (
          select from event_queue q where q.event_id between $2 and $3 and q.lane = ${lanes.firstAttempt}
            and not ${isPaused} and ${ofLastBatch('q.event_id')} and ${maySend('q.account_id')} limit ${mostWaiting + 1}
        ) waiting) > ${mostWaiting}
      else (
        select count(*) from (
          select from event_commands c where not exists (select from event_queue q where q.event_id = c.event_id) limit ${mostCommands + 1}
        ) waiting) > ${mostCommands}
      end as waits
    from bulk_jobs j where j.id = $1`,
};

type LastBatch = Pick<LeasedJob, 'id' | 'batch_from' | 'batch_to'>;

/** Whether the effects of the last batch still wait to be carried out. */
export async function isBraked(sql: Sql, { id, batch_from, batch_to }: LastBatch): Promise<boolean> {
  const [row] = await sql.query<{ waits: boolean | null }>(readBrake, [id, batch_from, batch_to]);
  return row?.waits ?? false;
}

/** Commands that are looked at for those of the last batch. Newer ones are there only if other jobs or operators give some. */
const newestCommands = 1_000;

// A command of a queued event waits until its workflow is started. Events of a disabled or paused consumer get none.
const readPacedBrake = {
  name: '',
  text: `
    select case j.action
      when 'replay' then (
        select count(*) from (
          select from event_queue q where q.event_id between $2 and $3 and q.lane = ${lanes.firstAttempt}
            and (q.claimed_until is null or q.claimed_until <= now()) and ${ofLastBatch('q.event_id')} and ${maySend('q.account_id')}
          limit $4::integer + 1
        ) waiting)
      else (
        select count(*) from (select event_id from event_commands order by id desc limit ${newestCommands}) c
        where c.event_id between $2 and $3 and ${ofLastBatch('c.event_id')}
          and coalesce((select ${maySend('q.account_id')} from event_queue q where q.event_id = c.event_id), true))
      end > $4::integer as waits
    from bulk_jobs j where j.id = $1`,
};

/**
 * Whether more than half of the last batch of a job with a pace still waits for an attempt to begin. There is no longest
 * wait: after it, what had gathered would be attempted faster than the pace.
 */
export async function isPacedBraked(
  sql: Sql,
  { id, batch_from, batch_to }: LastBatch,
  perSecond: number,
): Promise<boolean> {
  const mostWaiting = Math.floor(paceOf(perSecond).events / 2);
  const [row] = await sql.query<{ waits: boolean | null }>(readPacedBrake, [id, batch_from, batch_to, mostWaiting]);
  return row?.waits ?? false;
}

const putOff = {
  name: 'put_off_bulk_job',
  text: `
    update bulk_jobs set ${dueAfter('$3')}, lease_token = null, lease_until = null
    where id = $1 and lease_token = $2`,
};

/** Gives the lease back; the next batch is due after `delayS` seconds. */
export async function putOffJob(sql: Sql, id: string, token: string, delayS: number): Promise<void> {
  await sql.query(putOff, [id, token, delayS]);
}

const saveBatch = {
  name: 'save_bulk_batch',
  text: `
    update bulk_jobs j set done = $2, failed = $3, skipped = $4, next_event = $5, slice_ms = $6,
      first_event = coalesce(j.first_event, $7), batch_from = coalesce($7, j.batch_from), batch_to = coalesce($8, j.batch_to),
      batch_at = case when $7::uuid is null then j.batch_at else clock_timestamp() end,
      started_at = coalesce(j.started_at, now()),
      ${dueAfter('$9')}, lease_token = null, lease_until = null
    where j.id = $1`,
};

/** Records a batch: the job's sums, the position after it, and its first and last event. Gives the lease back. */
export async function saveBatchOf(
  sql: Sql,
  job: LeasedJob,
  batch: { outcome: Outcome; place: Place | null; ids: readonly string[]; pauseS: number },
): Promise<void> {
  const { outcome, place, ids, pauseS } = batch;
  await sql.query(saveBatch, [
    ...[job.id, outcome.done, outcome.failed, JSON.stringify(outcome.skipped)],
    ...[place?.next ?? null, place?.sliceMs ?? job.slice_ms, ids[0] ?? null, ids.at(-1) ?? null, pauseS],
  ]);
}

const endJob = {
  name: 'end_bulk_job',
  text: `
    update bulk_jobs set state = $2, reason = $3, ended_at = clock_timestamp(), lease_token = null, lease_until = null
    where id = $1 and ended_at is null returning id`,
};

/** Ends a job. False if it has ended already. */
export async function endJobRow(
  sql: Sql,
  id: string,
  state: 'stopped' | 'done' | 'failed',
  reason: string | null,
): Promise<boolean> {
  return (await sql.query(endJob, [id, state, reason])).length > 0;
}
