import { databaseFailure, isDatabaseError } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import type { ListFilters } from '../event-filters.ts';
import { recordActions } from '../timeline/event-actions.ts';
import { ack } from '../transitions/acknowledged.ts';
import { declareDead } from '../transitions/declared-dead.ts';
import { applyReplays, type Operation } from '../transitions/operation.ts';
import { replay, replayAll } from '../transitions/replayed.ts';
import { retry } from '../transitions/retried.ts';
import type { BulkAction, Outcome, SkipReason } from './bulk-job.ts';
import { stillMatching } from './matching-events.ts';

const lockEvents = { name: 'lock_events', text: 'select lock_events($1, $2, $3)' };
const setSavepoint = { name: '', text: 'savepoint bulk' };
const undo = { name: '', text: 'rollback to savepoint bulk' };

const nameJob = {
  name: 'name_bulk_job_of_events',
  text: 'update events set bulk_job_id = $1 where id = any($2::uuid[]) and id between $3 and $4',
};

/** What to do with each event of a batch. */
export interface BatchOrder {
  action: BulkAction;
  /** For `dead`. */
  error: string | null;
  /** Null if the job has ids: then no event is compared with anything. */
  filter: ListFilters | null;
  /** For the timelines of the events. */
  by: { actor: string; reason: string | null; jobId: string };
}

/**
 * Applies the action of a job to a batch of events, each as by the operation on a single event.
 *
 * @param sql must be in a transaction, which also records the job's position.
 * @param ids sorted
 */
export async function applyBatch(sql: Sql, order: BatchOrder, ids: readonly string[]): Promise<Outcome> {
  const tally = new Tally();
  const [low, high] = [ids[0], ids.at(-1)];
  if (low === undefined || high === undefined) return tally;
  let wanted = ids;
  // Noted replays first: their notes are always locked before their events. Only once: an event whose replay is noted after
  // it was found to match would be replayed twice.
  await sql.query(applyReplays, [ids]);
  if (order.filter) {
    await sql.query(lockEvents, [ids, low, high]);
    // Another operator or job may have changed an event since the batch was read.
    const matching = await stillMatching(sql, order.filter, ids);
    wanted = ids.filter((id) => matching.has(id));
    tally.skip('no_longer_matches', ids.length - wanted.length);
  }
  await sql.query(setSavepoint, []);
  try {
    await applyTogether(sql, order, wanted, tally);
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    // One event that the database refuses must not hold up the job. So each event gets a savepoint of its own.
    await sql.query(undo, []);
    await applyEach(sql, order, wanted, tally);
  }
  // This transaction has changed these rows already, so that the statement waits for no other one.
  if (tally.changed.length > 0) await sql.query(nameJob, [order.by.jobId, tally.changed, low, high]);
  await recordActions(sql, tally.changed, { action: order.action, ...order.by });
  return tally;
}

const isRefusedValue = (error: unknown) => isDatabaseError(error) && databaseFailure(error) === 'bad_data';

/** Counts what became of the events of a batch. */
class Tally implements Outcome {
  done = 0;
  failed = 0;
  skipped: Partial<Record<SkipReason, number>> = {};
  /** The ids of the events that were done. */
  readonly changed: string[] = [];

  add(operation: Operation): void {
    if (operation.ok) this.change(operation.event.id);
    else this.skip(operation.reason, 1);
  }

  change(id: string): void {
    this.done += 1;
    this.changed.push(id);
  }

  skip(reason: SkipReason, count: number): void {
    if (count > 0) this.skipped[reason] = (this.skipped[reason] ?? 0) + count;
  }
}

async function applyTogether(sql: Sql, order: BatchOrder, ids: readonly string[], tally: Tally): Promise<void> {
  const operations: Operation[] = [];
  if (order.action === 'replay' && ids.length > 0) {
    const replayed = await replayAll(sql, ids);
    // The single operation finds the reason.
    for (const id of ids) if (!replayed.has(id)) operations.push(await operate(sql, order, id));
    for (const id of replayed) tally.change(id);
  } else for (const id of ids) operations.push(await operate(sql, order, id));
  // Counted at the end: if one event throws, none of them was changed.
  for (const operation of operations) tally.add(operation);
}

async function applyEach(sql: Sql, order: BatchOrder, ids: readonly string[], tally: Tally): Promise<void> {
  for (const id of ids) {
    await sql.query(setSavepoint, []);
    try {
      tally.add(await operate(sql, order, id));
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      await sql.query(undo, []);
      tally.failed += 1;
    }
  }
}

/** The operation on a single event. */
function operate(sql: Sql, { action, error }: BatchOrder, id: string): Promise<Operation> {
  switch (action) {
    case 'replay':
      return replay(sql, id);
    case 'retry':
      return retry(sql, id);
    case 'ack':
      return ack(sql, id);
    case 'dead':
      return declareDead(sql, id, error);
    default:
      return action satisfies never;
  }
}
