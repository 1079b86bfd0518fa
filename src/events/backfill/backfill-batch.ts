import type { Database } from '../../database/database.ts';
import type { Sql } from '../../database/sql.ts';
import { uuidMs } from '../../database/uuid-time.ts';
import type { Outcome } from '../bulk/bulk-job.ts';
import type { LeasedJob } from '../bulk/leased-job.ts';
import type { Matches } from '../bulk/matching-events.ts';
import { paceOf } from '../bulk/pace.ts';
import { lanes } from '../lanes.ts';
import { lowestId, ofConsumer } from '../queue.ts';
import { type BackfillTarget, lockTarget, type Refusal, readTarget } from './backfill-target.ts';
import { insertBackfilled } from './insert-backfilled.ts';
import type { Met } from './met-conditions.ts';
import { nextMissing } from './missing-webhooks.ts';

/** Events of the consumer that may wait in the queue: more would be a flood for a slow consumer, and an operator could not stop it. */
const mostWaiting = 300;
const waitS = 0.5;
/** After a batch that made no event. It limits what a condition that rarely holds reads. */
const pauseS = 0.2;
/** For reading a batch, and for evaluating its conditions. */
const readMs = 2_000;

/** The next step of a job. */
export type BackfillStep =
  | { kind: 'end'; reason: Refusal }
  /** As many events of the consumer wait as may. */
  | { kind: 'wait'; delayS: number }
  | ({ kind: 'batch'; target: BackfillTarget; revision: number; pauseS: number } & Matches & Pick<Met, 'exceeded'>);

export type BackfillBatch = Extract<BackfillStep, { kind: 'batch' }>;

const countWaiting = {
  name: 'count_waiting_of_consumer',
  text: `
    select count(*)::integer as n from (
      (select 1 from event_queue q where q.lane = ${lanes.firstAttempt} and ${ofConsumer('$1::uuid', `'${lowestId}'::uuid`)} limit $2)
      union all
      (select 1 from event_queue q where q.lane = ${lanes.pendingStart} and ${ofConsumer('$1::uuid', `'${lowestId}'::uuid`)} limit $2)
    ) w`,
};

/** Finds the webhooks of the next batch of a job. Changes nothing. */
export async function nextBackfill(database: Database, slices: Sql, job: LeasedJob): Promise<BackfillStep> {
  const { account_id: accountId, consumer_id: consumerId, per_second: perSecond } = job;
  const { next_event: next, last_event: last, slice_ms: sliceMs } = job;
  if (accountId === null || consumerId === null || perSecond === null || next === null || last === null)
    throw new Error('the row of the backfill lacks what a backfill needs');
  const target = { accountId, consumerId };
  const { refusal, condition, revision } = await readTarget(database, target);
  if (refusal !== null) return { kind: 'end', reason: refusal };
  const [waiting] = await database.query<{ n: number }>(countWaiting, [consumerId, mostWaiting]);
  const room = mostWaiting - (waiting?.n ?? 0);
  if (room <= 0) return { kind: 'wait', delayS: waitS };
  const pace = paceOf(perSecond);
  const found = await nextMissing(
    { slices, reader: database.reader },
    { ...target, since: new Date(uuidMs(next)), conditions: [condition, job.condition] },
    { next, last, sliceMs },
    { most: Math.min(pace.events, room), timeMs: readMs },
  );
  return {
    ...{ kind: 'batch', target, revision, ...found },
    pauseS: found.ids.length > 0 ? Math.max(pace.everyS, pauseS) : pauseS,
  };
}

/**
 * Makes the events of a batch.
 *
 * @param jobId the job of the batch
 * @param sql must be in a transaction that has locked the job, and that records its new position.
 * @returns null, and nothing was changed, if a consumer of the account was changed after the batch was found.
 */
export async function makeEvents(sql: Sql, jobId: string, batch: BackfillBatch): Promise<Outcome | null> {
  const { target, revision, ids } = batch;
  if (ids.length === 0) return { done: 0, failed: 0, skipped: {} };
  const now = await lockTarget(sql, target);
  if (now.revision !== revision || now.refusal !== null) return null;
  const done = await insertBackfilled(sql, { ...target, jobId }, ids);
  const skipped = ids.length - done;
  return { done, failed: 0, skipped: skipped > 0 ? { no_longer_matches: skipped } : {} };
}
