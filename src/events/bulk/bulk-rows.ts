import type { z } from 'zod';
import { lockKeys } from '../../database/lock-keys.ts';
import type { Sql } from '../../database/sql.ts';
import { isJobWithin } from '../../tokens/scope-reach.ts';
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
const jobColumns = `id, action, filter, cardinality(event_ids) as ids, state, reason, ordered_by, order_reason, total, done, skipped, failed, created_at, started_at, ended_at,
  account_id, consumer, condition, per_second`;

/** The lowest UUID: the first event of each walk. */
const lowestId = '00000000-0000-0000-0000-000000000000';

const insertJob = {
  name: 'insert_bulk_job',
  text: `
    insert into bulk_jobs (id, action, error, filter, event_ids, ordered_by, ordered_from, total, next_event, last_event, slice_ms,
      per_second, next_batch_at, paced_batch_at, account_id, consumer_id, consumer, condition, order_reason, account_ids)
    values ($1, $2, $3, $4, $5, $6, $7, $8, case when $4::json is not null then $9::uuid end, $10, $11,
      $12::integer, case when $12 is null then now() else 'infinity' end, case when $12 is not null then now() end, $13, $14, $15, $16, $17, $18::uuid[])
    returning ${jobColumns}`,
};

/**
 * A filter as it is stored. That of a token with a scope has one more field, so that a worker of the release before, which
 * does not know `account_ids`, fails the job instead of changing events of all accounts.
 */
const filterText = ({ filter, accountIds }: Pick<NewBulkJob, 'filter' | 'accountIds'>): string | null =>
  filter && JSON.stringify(accountIds === null ? filter : { ...filter, [scopedField]: 'true' });

/** What the stored filter of a job says besides the filter of the order. */
const scopedField = 'scoped';

/** A stored filter without what was added to it. */
export const filterOfOrder = <Value>(stored: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(stored).filter(([name]) => name !== scopedField));

export async function insertBulkJob(sql: Sql, job: NewBulkJob): Promise<BulkJob> {
  const { id, action, error, ids, orderedBy, orderedFrom, total, firstEvent, lastEvent, sliceMs } = job;
  const { accountId, consumerId, consumer, condition } = job.backfill ?? {};
  const stored = filterText(job);
  const [row] = await sql.query<BulkJob>(insertJob, [
    ...[id, action, error, stored, ids, orderedBy, orderedFrom, total, firstEvent ?? lowestId, lastEvent, sliceMs],
    ...[job.perSecond, accountId, consumerId, consumer, condition, job.orderReason, job.accountIds].map(
      (value) => value ?? null,
    ),
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
        and error is not distinct from $4 and account_ids is not distinct from $6::uuid[] and state = 'running' end as same
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
  order: Pick<NewBulkJob, 'action' | 'error' | 'filter' | 'ids' | 'backfill' | 'accountIds'>,
): Promise<{ count: number; same: string | null }> {
  await sql.query(lockOrders, [lockKeys.bulkOrders]);
  const rows = await sql.query<{ id: string; same: boolean }>(readUnfinished, [
    order.action,
    filterText(order),
    order.ids,
    order.error,
    order.backfill?.consumerId ?? null,
    order.accountIds,
  ]);
  return { count: rows.length, same: rows.find(({ same }) => same)?.id ?? null };
}

const listJobs = {
  name: 'list_bulk_jobs',
  text: `select ${jobColumns} from bulk_jobs where ($1::uuid is null or id < $1)
    and ($3::uuid[] is null or ${isJobWithin('$3')}) order by id desc limit $2`,
};
const readJob = { name: 'read_bulk_job', text: `select ${jobColumns} from bulk_jobs where id = $1` };

/** Lists jobs, newest first. @param page `before`: only jobs older than this one; `accountIds`: only jobs within these accounts */
export function listBulkJobs(
  sql: Sql,
  page: { before: string | null; limit: number; accountIds: readonly string[] | null },
): Promise<BulkJob[]> {
  return sql.query<BulkJob>(listJobs, [page.before, page.limit, page.accountIds]);
}

export async function readBulkJob(sql: Sql, id: string): Promise<BulkJob | null> {
  return (await sql.query<BulkJob>(readJob, [id]))[0] ?? null;
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
  const { account_id, consumer, condition, per_second, order_reason } = job;
  return {
    ...{
      id,
      action,
      filter: filter && filterOfOrder(filter),
      ids,
      state,
      reason,
      total,
      matched: matchedOf(job),
      done,
      skipped,
      failed,
      ordered_by,
    },
    ...{ order_reason, account_id, consumer, condition, per_second },
    created_at: job.created_at.toISOString(),
    started_at: job.started_at?.toISOString() ?? null,
    ended_at: job.ended_at?.toISOString() ?? null,
  };
}
