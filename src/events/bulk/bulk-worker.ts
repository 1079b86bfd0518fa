import { randomUUID } from 'node:crypto';
import type { AuditWriter } from '../../audit/audit-writer.ts';
import type { Database } from '../../database/database.ts';
import { databaseFailure, isDatabaseError } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import type { Log } from '../../shared/log.ts';
import type { Round } from '../../shared/poller.ts';
import { RareWarning } from '../../shared/rare-warning.ts';
import { makeEvents, nextBackfill } from '../backfill/backfill-batch.ts';
import type { ListFilters } from '../event-filters.ts';
import { applyBatch, type BatchOrder } from './apply-batch.ts';
import { matchedOf, type Outcome, type SkipReason, skipReasons } from './bulk-job.ts';
import { filterOfOrder } from './bulk-rows.ts';
import { bulkFilter } from './bulk-schemas.ts';
import { beforeHeld, firstHeld } from './held-events.ts';
import type { LeasedJob } from './leased-job.ts';
import * as jobs from './leased-job.ts';
import { nextEvents, startOf } from './next-events.ts';
import { eventsABatch, paceOf } from './pace.ts';
import { slicesOf } from './slices.ts';

/**
 * Between two batches of a job. Together with the size of a batch it limits a job to 1,000 events/s in all workers, so
 * that ingestion and deliveries keep most of the database.
 */
const pauseS = 0.2;
/** How often a batch is put off while the events of the last one wait, or while a retry waits for a pause to end. */
const brakeS = 0.5;
const pausedS = 5;
/** How often a job with a pace looks whether the pause has ended that holds up its next event. */
const heldS = 1;
const retryS = 1;
/** A statement that reads longer is canceled, and reads a shorter span of time at the next try. */
const statementMs = 4_000;
/** Longer than reading a batch (6 s). After a crash of the worker, another one goes on after this time. */
const leaseS = 15;

interface BulkDeps {
  database: Database;
  audit: Pick<AuditWriter, 'write'>;
  log: Log;
}

/** Works on bulk jobs, one batch a round. Any number of processes may do so. */
export class BulkWorker {
  readonly #deps: BulkDeps;
  readonly #slices: Sql;
  readonly #exceeded = new RareWarning(undefined, 3_600_000);

  constructor(deps: BulkDeps) {
    this.#deps = deps;
    this.#slices = slicesOf(deps.database.readers, statementMs);
  }

  /**
   * Applies the next batch of the job that is due for longest.
   *
   * @returns `idle` if no job is due.
   * @throws the database's error. The batch is then tried again, without end: the database comes back, and an operator can
   *   stop the job. A value that PostgreSQL refuses ends the job instead.
   */
  async round(): Promise<Round> {
    const token = randomUUID();
    const job = await jobs.leaseDueJob(this.#deps.database, token, leaseS);
    if (!job) return 'idle';
    try {
      await this.#work(job, token);
    } catch (error) {
      if (isDatabaseError(error) && databaseFailure(error) !== 'bad_data') {
        // A conflict with another transaction is over soon. If the database is down, the lease expires.
        await jobs.putOffJob(this.#deps.database, job.id, token, retryS).catch(() => undefined);
        throw error;
      }
      // An error of the gateway itself, or a value that PostgreSQL refuses, would occur at each try.
      this.#deps.log.error({ err: error, job_id: job.id }, 'bulk job failed');
      await this.#endWith(job, token, 'failed', 'internal error; see the log of the worker');
    }
    return 'more';
  }

  async #work(job: LeasedJob, token: string): Promise<void> {
    if (job.state === 'stopping') return this.#endWith(job, token, 'stopped', job.reason);
    const { action } = job;
    if (action === 'backfill') return this.#backfill(job, token);
    const delayS = await this.#delayOf(job);
    if (delayS !== null) return jobs.putOffJob(this.#deps.database, job.id, token, delayS);
    const filter = storedFilter(job);
    const pace = job.per_second === null ? null : paceOf(job.per_second);
    const next = await nextEvents(this.#slices, job, filter, pace?.events ?? eventsABatch);
    const found = pace === null ? { ...next, isHeld: false } : await beforeHeld(this.#deps.database, next);
    const batchPauseS = found.isHeld ? heldS : pace === null || found.ids.length === 0 ? pauseS : pace.everyS;
    await this.#deps.database.transaction(async (sql) => {
      const locked = await jobs.lockLeasedJob(sql, job.id, token);
      if (!locked) return;
      if (locked.state === 'stopping') return this.#end(sql, locked, 'stopped', locked.reason);
      const { id: jobId, error, ordered_by: actor, order_reason } = locked;
      const order: BatchOrder = { action, error, filter, by: { actor, reason: order_reason, jobId } };
      const outcome = sumOf(locked, await applyBatch(sql, order, found.ids));
      await jobs.saveBatchOf(sql, locked, { outcome, place: found.place, ids: found.ids, pauseS: batchPauseS });
      if (found.end) await this.#end(sql, { ...locked, ...outcome }, 'done', null);
    });
  }

  async #backfill(job: LeasedJob, token: string): Promise<void> {
    const { database } = this.#deps;
    const batch = await nextBackfill(database, this.#slices, job);
    if (batch.kind === 'wait') return jobs.putOffJob(database, job.id, token, batch.delayS);
    if (batch.kind === 'end') return this.#endWith(job, token, 'stopped', batch.reason);
    this.#exceeded.add(batch.exceeded);
    this.#exceeded.tell((webhooks) =>
      this.#deps.log.warn(
        { job_id: job.id, accountId: job.account_id, webhooks },
        'condition of a backfill needs too much work for a webhook, it counts as met',
      ),
    );
    await database.transaction(async (sql) => {
      const locked = await jobs.lockLeasedJob(sql, job.id, token);
      if (!locked) return;
      if (locked.state === 'stopping') return this.#end(sql, locked, 'stopped', locked.reason);
      const made = await makeEvents(sql, job.id, batch);
      // The consumer was changed after its condition was read: the webhooks are judged again.
      if (made === null) return jobs.putOffJob(sql, job.id, token, 0);
      const outcome = sumOf(locked, made);
      await jobs.saveBatchOf(sql, locked, { outcome, place: batch.place, ids: batch.ids, pauseS: batch.pauseS });
      if (batch.end) await this.#end(sql, { ...locked, ...outcome }, 'done', null);
    });
  }

  /** For how many seconds the job has to wait; null if it need not. */
  async #delayOf(job: LeasedJob): Promise<number | null> {
    const { database } = this.#deps;
    if (job.per_second !== null) {
      // With a filter, the event at the position may not match any more: the batch is read first.
      const start = job.event_ids === null ? null : startOf(job);
      if (job.paused || (start !== null && (await firstHeld(database, [start])) !== null)) return heldS;
      return (await jobs.isPacedBraked(database, job, job.per_second)) ? brakeS : null;
    }
    // While deliveries are paused, a manual attempt would be refused, and nothing could drain what waits.
    if (job.paused) return job.action === 'retry' ? pausedS : null;
    return (await jobs.isBraked(database, job)) ? brakeS : null;
  }

  async #endWith(job: LeasedJob, token: string, state: 'stopped' | 'failed', reason: string | null): Promise<void> {
    await this.#deps.database.transaction(async (sql) => {
      const locked = await jobs.lockLeasedJob(sql, job.id, token);
      if (locked) await this.#end(sql, locked, state, reason);
    });
  }

  /** Ends a job and writes its audit entry, in the same transaction. */
  async #end(sql: Sql, job: LeasedJob, state: 'stopped' | 'done' | 'failed', reason: string | null): Promise<void> {
    if (!(await jobs.endJobRow(sql, job.id, state, reason))) return;
    const { id, action, total, done, failed, skipped, account_id, consumer } = job;
    const whose = account_id === null ? {} : { account_id, consumer };
    await this.#deps.audit.write(sql, {
      ...{ actor: job.ordered_by, ipAddress: job.ordered_from, action: 'event.bulk_end' },
      details: {
        ...{ job_id: id, action, ...whose, state },
        ...{ reason, total, matched: matchedOf(job), done, skipped, failed },
      },
    });
  }
}

/** The filter of a job; null if it has ids. Throws if another version of the gateway stored what this one cannot read. */
function storedFilter({ filter, account_ids: accountIds }: LeasedJob): ListFilters | null {
  if (typeof filter !== 'object' || filter === null) return null;
  return { ...bulkFilter.parse(filterOfOrder({ ...filter })), accountIds };
}

/** The sums of a job after a batch. */
function sumOf(job: Outcome, batch: Outcome): Outcome {
  const skipped: Partial<Record<SkipReason, number>> = { ...job.skipped };
  for (const reason of skipReasons) {
    const count = batch.skipped[reason] ?? 0;
    if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
  }
  return { done: job.done + batch.done, failed: job.failed + batch.failed, skipped };
}
