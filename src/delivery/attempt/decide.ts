import type { AttemptResult, DeliverySchedule, StopReason } from '../../../workflows/messages.ts';
import type { AttemptRow } from '../../events/attempt-row.ts';
import type { Trigger, WaitsFor } from '../../events/event.ts';
import { lookAgainMs } from '../../events/pause.ts';

export type Decision =
  | { do: 'answer'; result: AttemptResult }
  | { do: 'send' }
  /** The event is due and waits in the queue. */
  | { do: 'queue'; waitsFor: WaitsFor }
  /** The account or the consumer was deleted. */
  | { do: 'end' };

export interface Asked {
  generation: number;
  trigger: Trigger;
  number: number;
  schedule: DeliverySchedule;
  /** The token of the claim under which the relay makes the attempt; null when the event's workflow makes it. */
  claimToken: string | null;
  /** Whether this process stalled, so that Temporal may have given the attempt of a workflow to another process. */
  stalled: boolean;
}

/** How long a workflow waits while the relay, or perhaps another process, is making the same attempt. */
const otherAttemptMs = 1_000;

/**
 * Decides about a requested attempt from the event's current row (docs/concepts.md). Since the request, operators may
 * have acked, killed or replayed the event, or disabled or deleted its account.
 */
export function decide(row: AttemptRow, asked: Asked, nowMs: number): Decision {
  const answer = (result: AttemptResult): Decision => ({ do: 'answer', result });
  const stop = (reason: StopReason) => answer(stopped(reason, row));

  // After a restore, the database may no longer have the workflow's generation. This workflow's attempts would not
  // count for the event. The sweep starts a workflow for the generation in the row.
  if (row.generation < asked.generation) return stop('superseded');
  if (row.recordedOutcome !== null) return answer(recordedResult(row, asked, nowMs));
  if (asked.claimToken === null && asked.stalled) return answer(elsewhere(otherAttemptMs));
  if (asked.trigger === 'manual') {
    // Operators may retry every event that is not dead, even after its schedule has ended.
    if (row.status === 'dead') return stop('dead');
    if (isDeleted(row)) return stop('account_deleted');
    if (!row.account.enabled || !row.consumer.enabled) return stop('account_disabled');
    const since = pausedSince(row);
    return since === null ? { do: 'send' } : answer(waitForPause(since, nowMs));
  }

  if (row.generation > asked.generation) return stop(overtakenBecause(row));
  const reason = endedBecause(row, isDeleted(row));
  if (reason) return stop(reason);
  if (isDeleted(row)) return { do: 'end' };
  if (asked.claimToken === null) {
    if (row.relayAttempting) return answer(elsewhere(otherAttemptMs));
  } else if (row.claimToken !== asked.claimToken || (row.nextAttemptAt?.getTime() ?? 0) > nowMs) {
    // The claim ended before the attempt began, so another process may be making it; or a workflow has made it.
    return answer(elsewhere(0));
  }
  const waitsFor = reasonToWait(row);
  return waitsFor === null ? { do: 'send' } : { do: 'queue', waitsFor };
}

function reasonToWait(row: AttemptRow): WaitsFor | null {
  if (!row.account.enabled) return row.pause ? 'paused' : 'account_disabled';
  if (pausedSince(row) !== null) return 'paused';
  return row.consumer.enabled ? null : 'consumer_disabled';
}

const isDeleted = ({ account, consumer }: Pick<AttemptRow, 'account' | 'consumer'>) =>
  account.deleted || consumer.deleted;
/** Since when deliveries of all, of the account or of the consumer are paused; null if none are. */
const pausedSince = ({ pause, account, consumer }: AttemptRow): Date | null =>
  pause?.since ?? account.pausedSince ?? consumer.pausedSince;

/** The result of an attempt that is not made or not counted, because the event with this row needs no further one. */
const stopped = (reason: StopReason, { deliveryStatus }: Pick<AttemptRow, 'deliveryStatus'>): AttemptResult => ({
  kind: 'stopped',
  reason,
  ...(reason === 'already_settled' && deliveryStatus !== null ? { deliveryStatus } : {}),
});

/** The result of the attempt that has exhausted its event. */
export const exhaustedNow: AttemptResult = { kind: 'exhausted', attempted: true, endsAs: 'failed' };

/** Only its workflow knows of a manual attempt, so it looks again until the pause has ended. */
const waitForPause = (since: Date, nowMs: number): AttemptResult => ({
  kind: 'wait',
  waitMs: lookAgainMs({ since }, nowMs),
  reason: 'paused',
});

const elsewhere = (waitMs: number): AttemptResult => ({ kind: 'wait', waitMs, reason: 'elsewhere' });

/**
 * Why an event needs no further scheduled attempt; null while it does.
 *
 * @param ownerDeleted whether its account or its consumer was deleted
 */
function endedBecause(row: Pick<AttemptRow, 'status' | 'deliveryStatus'>, ownerDeleted: boolean): StopReason | null {
  if (row.status === 'dead') return 'dead';
  if (row.status === 'processed') return 'acknowledged';
  if (row.deliveryStatus === 'pending') return null;
  return ownerDeleted ? 'account_deleted' : 'already_settled';
}

/**
 * Why a run of a workflow ends when a replay has begun a newer generation of its event. The row alone decides. The signal
 * of the replay may arrive before or after the outcome of an attempt, and with EVENT_WORKFLOWS=on_retry there is none.
 *
 * | the newer generation | the run ends as | what follows |
 * | --- | --- | --- |
 * | is pending | `superseded` | the run of the newer generation, if it needs one |
 * | was delivered, failed, acked or killed | `already_settled` | nothing that sends |
 */
function overtakenBecause(newer: Pick<AttemptRow, 'deliveryStatus'>): StopReason {
  return newer.deliveryStatus === 'pending' ? 'superseded' : 'already_settled';
}

/** The result of an attempt that is already recorded, for a repeated request. */
function recordedResult(row: AttemptRow, asked: Asked, nowMs: number): AttemptResult {
  const attempt = {
    trigger: asked.trigger,
    succeeded: row.recordedOutcome === 'delivered',
    isCurrent: row.generation === asked.generation,
    // A final answer makes any attempt the last one.
    isLast: asked.trigger === 'schedule' && asked.number === row.nextNumber - 1,
  };
  return afterAttempt({ ...row, ownerDeleted: isDeleted(row) }, attempt, nowMs);
}

/** An attempt that was made, as its result depends on it. */
interface MadeAttempt {
  trigger: Trigger;
  succeeded: boolean;
  /** Whether the event still has the generation of the attempt. */
  isCurrent: boolean;
  /** Whether the attempt was recorded before, and was the last one of its generation. */
  isLast: boolean;
}

/** What follows an attempt for its workflow or the relay, from the event's row after the record. */
export function afterAttempt(
  row: Pick<AttemptRow, 'status' | 'deliveryStatus' | 'nextAttemptAt'> & { ownerDeleted: boolean },
  { trigger, succeeded, isCurrent, isLast }: MadeAttempt,
  nowMs: number,
): AttemptResult {
  // A success after the event was killed or replayed changed no row, so it does not end the schedule. The event may be
  // delivered nevertheless, by an attempt of the replay.
  if (isCurrent && succeeded && row.deliveryStatus === 'delivered') return { kind: 'delivered' };
  if (trigger === 'manual' && !succeeded) return { kind: 'failed', waitMs: 0 };
  if (!isCurrent) return stopped(overtakenBecause(row), row);
  const reason = endedBecause(row, row.ownerDeleted);
  if (reason === null) return { kind: 'failed', waitMs: Math.max(0, (row.nextAttemptAt?.getTime() ?? nowMs) - nowMs) };
  // The last attempt failed and was recorded, but the answer of the record was lost, or the worker crashed before it could
  // return the result.
  const exhausted = reason === 'already_settled' && row.deliveryStatus === 'failed' && isLast && !succeeded;
  return exhausted ? exhaustedNow : stopped(reason, row);
}
