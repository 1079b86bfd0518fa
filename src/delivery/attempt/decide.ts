import type { AttemptResult, DeliverySchedule, StopReason } from '../../../workflows/messages.ts';
import type { AttemptRow } from '../../events/attempt-row.ts';
import type { Trigger } from '../../events/event.ts';
import { lookAgainMs, type Pause } from '../../events/pause.ts';

export type Decision =
  | { do: 'answer'; result: AttemptResult }
  | { do: 'send' }
  | { do: 'hold'; waitMs: number }
  | { do: 'give_up'; reason: 'account_deleted' | 'account_disabled' };

export interface Asked {
  generation: number;
  trigger: Trigger;
  number: number;
  schedule: DeliverySchedule;
  /** The relay asks, under its lease; else the event's workflow does. */
  byRelay: boolean;
}

/** How long a workflow waits when the relay is just making the attempt that it asks for. */
const relayAttemptMs = 1_000;

/**
 * What to do about an attempt, by what the event's row says at this moment (docs/concepts.md): people may have acked,
 * killed or replayed the event, or disabled or deleted its account, since it was asked for.
 */
export function decide(row: AttemptRow, asked: Asked, nowMs: number): Decision {
  const answer = (result: AttemptResult): Decision => ({ do: 'answer', result });
  const stop = (reason: StopReason) => answer({ kind: 'stopped', reason });

  // A workflow of a generation that the database has lost, as after a restore: what it does would count for nothing, and
  // what it has done is not this event's. The sweep starts the one that the row asks for.
  if (row.generation < asked.generation) return stop('superseded');
  if (row.recordedOutcome !== null) return answer(recordedResult(row, asked, nowMs));
  if (asked.trigger === 'manual') {
    // An operator's retry is for any event that is not dead, whatever became of its schedule.
    if (row.status === 'dead') return stop('dead');
    if (row.account.deleted) return stop('account_deleted');
    if (!row.account.enabled) return stop('account_disabled');
    return row.pause ? answer(waitFor(row.pause, nowMs)) : { do: 'send' };
  }

  if (row.generation > asked.generation) return stop('superseded');
  const reason = endedBecause(row);
  if (reason) return stop(reason);
  if (row.account.deleted) return { do: 'give_up', reason: 'account_deleted' };
  if (row.relayAttempting && !asked.byRelay) return answer({ kind: 'wait', waitMs: relayAttemptMs });
  // Before anything that time alone can end: what was held for too long is given up after the pause.
  if (row.pause) return answer(waitFor(row.pause, nowMs));
  if (row.account.enabled) return { do: 'send' };

  const heldMs = row.heldSince ? nowMs - row.heldSince.getTime() : 0;
  if (heldMs >= asked.schedule.holdLimitMs) return { do: 'give_up', reason: 'account_disabled' };
  return { do: 'hold', waitMs: holdMs(asked.schedule, heldMs) };
}

/** Nothing is sent, counted or given up during a pause. */
const waitFor = (pause: Pause, nowMs: number): AttemptResult => ({ kind: 'wait', waitMs: lookAgainMs(pause, nowMs) });

/** Why an event needs no scheduled attempt, or null while it does. */
export function endedBecause(
  row: Pick<AttemptRow, 'status' | 'deliveryStatus'> & { account: { deleted: boolean } },
): StopReason | null {
  if (row.status === 'dead') return 'dead';
  if (row.status === 'processed') return 'acknowledged';
  if (row.deliveryStatus === 'pending') return null;
  return row.account.deleted ? 'account_deleted' : 'already_settled';
}

/** The result of an attempt that was made and recorded, for whoever asks again. */
function recordedResult(row: AttemptRow, asked: Asked, nowMs: number): AttemptResult {
  const succeeded = row.recordedOutcome === 'delivered';
  if (succeeded && row.deliveryStatus === 'delivered') return { kind: 'delivered' };
  if (asked.trigger === 'manual' && !succeeded) return { kind: 'failed', waitMs: 0 };
  if (row.generation > asked.generation) return { kind: 'stopped', reason: 'superseded' };
  const reason = endedBecause(row);
  if (reason === null) return { kind: 'failed', waitMs: Math.max(0, (row.nextAttemptAt?.getTime() ?? nowMs) - nowMs) };
  // The tenth failed, that was recorded, and the worker died before it could say so.
  const exhausted =
    reason === 'already_settled' && row.deliveryStatus === 'failed' && asked.number > asked.schedule.delaysMs.length;
  return exhausted ? { kind: 'exhausted', attempted: true } : { kind: 'stopped', reason };
}

/**
 * When to look again at an event of a disabled account: at the schedule's pace, counted from the moment at which it was
 * first held, with at least a minute in between.
 */
export function holdMs(schedule: DeliverySchedule, heldMs: number): number {
  let passedMs = 0;
  for (const delayMs of schedule.delaysMs) {
    passedMs += delayMs;
    if (passedMs > heldMs) return Math.max(schedule.holdMs, delayMs);
  }
  return Math.max(schedule.holdMs, schedule.delaysMs.at(-1) ?? 0);
}
