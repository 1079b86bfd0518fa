import type { z } from 'zod';
import { lockKeys } from '../../database/lock-keys.ts';
import type { Sql } from '../../database/sql.ts';
import { matchedOf, type NewBulkJob } from './bulk-job.ts';
import type { bulkJob } from './bulk-schemas.ts';

type Shown = z.infer<typeof bulkJob>;

/** A job as operators see it. */
export type BulkJob = Omit<Shown, 'matched' | 'created_at' | 'started_at' | 'ended_at'> & {
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
};

/** The columns of `BulkJob`. */
const jobColumns = `id, action, filter, cardinality(event_ids) as ids, state, reason, ordered_by, total, done, skipped, failed, created_at, started_at, ended_at,
  account_id, consumer, condition, per_second`;

/** The lowest UUID: the first event of each walk. */
const lowestId = '00000000-0000-0000-0000-000000000000';

const insertJob = {
  name: 'insert_bulk_job',
  text: `
    insert into bulk_jobs (id, action, error, filter, event_ids, ordered_by, ordered_from, total, next_event, last_event, slice_ms,
      account_id, consumer_id, consumer, condition, per_second)
    values ($1, $2, $3, $4, $5, $6, $7, $8, case when $4::json is not null then $9::uuid end, $10, $11, $12, $13, $14, $15, $16)
    returning ${jobColumns}`,
};

export async function insertBulkJob(sql: Sql, job: NewBulkJob): Promise<BulkJob> {
  const { id, action, error, filter, ids, orderedBy, orderedFrom, total, firstEvent, lastEvent, sliceMs } = job;
  const { accountId, consumerId, consumer, condition, perSecond } = job.backfill ?? {};
  const stored = filter && JSON.stringify(filter);
  const [row] = await sql.query<BulkJob>(insertJob, [
    ...[id, action, error, stored, ids, orderedBy, orderedFrom, total, firstEvent ?? lowestId, lastEvent, sliceMs],
    ...[accountId, consumerId, consumer, condition, perSecond].map((value) => value ?? null),
  ]);
  if (!row) throw new Error('the bulk job was not inserted');
  return row;
}

const lockOrders = { name: 'lock_bulk_orders', text: 'select pg_advisory_xact_lock($1)' };
const readUnfinished = {
  name: 'read_unfinished_bulk_jobs',
  text: `
    select id, action = $1 and case when $1 = 'backfill' then consumer_id = $5
      else filter::text is not distinct from $2 and event_ids is not distinct from $3::uuid[]
        and error is not distinct from $4 and state = 'running' end as same
    from bulk_jobs where ended_at is null`,
};

/**
 * The jobs that have not ended. Waits for other orders that are being made, so that the caller's transaction can check
 * a limit.
 *
 * @returns their number, and the running job with the same order, or null. For a backfill, that is any job of its
 *   consumer, also one that is stopping: two batches at the same time could both make an event of a webhook.
 */
export async function unfinishedJobs(
  sql: Sql,
  order: Pick<NewBulkJob, 'action' | 'error' | 'filter' | 'ids' | 'backfill'>,
): Promise<{ count: number; same: string | null }> {
  await sql.query(lockOrders, [lockKeys.bulkOrders]);
  const rows = await sql.query<{ id: string; same: boolean }>(readUnfinished, [
    order.action,
    order.filter && JSON.stringify(order.filter),
    order.ids,
    order.error,
    order.backfill?.consumerId ?? null,
  ]);
  return { count: rows.length, same: rows.find(({ same }) => same)?.id ?? null };
}

const listJobs = {
  name: 'list_bulk_jobs',
  text: `select ${jobColumns} from bulk_jobs where $1::uuid is null or id < $1 order by id desc limit $2`,
};
const readJob = { name: 'read_bulk_job', text: `select ${jobColumns} from bulk_jobs where id = $1` };

/** Lists jobs, newest first. @param page `before`: only jobs older than this one */
export function listBulkJobs(sql: Sql, page: { before: string | null; limit: number }): Promise<BulkJob[]> {
  return sql.query<BulkJob>(listJobs, [page.before, page.limit]);
}

export async function readBulkJob(sql: Sql, id: string): Promise<BulkJob | null> {
  return (await sql.query<BulkJob>(readJob, [id]))[0] ?? null;
}

const readIds = { name: 'read_bulk_job_ids', text: 'select event_ids from bulk_jobs where id = $1' };

/** The given ids of a job in ascending order; null if it has a filter, or does not exist. */
export async function readBulkJobIds(sql: Sql, id: string): Promise<string[] | null> {
  const [row] = await sql.query<{ event_ids: string[] | null }>(readIds, [id]);
  return row?.event_ids ?? null;
}

const stopJob = {
  name: 'stop_bulk_job',
  text: `
    update bulk_jobs set state = 'stopping', reason = 'operator', next_batch_at = now()
    where id = $1 and state = 'running' returning ${jobColumns}`,
};

/** Asks workers to end a job. Null if it is not running. */
export async function stopBulkJob(sql: Sql, id: string): Promise<BulkJob | null> {
  return (await sql.query<BulkJob>(stopJob, [id]))[0] ?? null;
}

/** The job in the form of the admin API; times are ISO 8601. */
export function bulkJobView(job: BulkJob): Shown {
  const { id, action, filter, ids, state, reason, total, done, skipped, failed, ordered_by } = job;
  const { account_id, consumer, condition, per_second } = job;
  return {
    ...{ id, action, filter, ids, state, reason, total, matched: matchedOf(job), done, skipped, failed, ordered_by },
    ...{ account_id, consumer, condition, per_second },
    created_at: job.created_at.toISOString(),
    started_at: job.started_at?.toISOString() ?? null,
    ended_at: job.ended_at?.toISOString() ?? null,
  };
}
