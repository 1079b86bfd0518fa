import type { Received, Sent } from './load.ts';

/** What became of the load of a rolling upgrade. */
export interface Report {
  sent: number;
  /** Answers other than 202, and how often each came. */
  refused: Record<string, number>;
  /** Ids of accepted events that no attempt delivered. */
  lost: string[];
  /** Attempts that the consumer received more than once, as `<event id> #<attempt>`. */
  twice: string[];
  /** Milliseconds from the 202 to the first attempt. */
  firstMs: Times;
  /** Milliseconds by which second attempts came later than their schedule allows. */
  retryLateMs: Times;
  /** The same of those whose workflow had no task while a worker stopped. */
  undisturbedLateMs: Times;
  /** The latest of these, with when they were due, to compare with the replacements. */
  latest: string[];
}

/** From the signal to a worker until its process has ended; `performance.now()`. */
export interface Stop {
  fromMs: number;
  untilMs: number;
}

/** How many of the latest retries are named. */
const named = 5;
/** How long before a stop a worker may have received a task that it drops, and how late a task may be on a busy machine. */
const toleranceMs = 1_000;

interface Times {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/**
 * @param retryMs the shortest and longest first delay of the schedule, with its jitter
 * @param stops of workers
 */
export function reportOf(
  sent: readonly Sent[],
  received: readonly Received[],
  retryMs: { min: number; max: number },
  stops: readonly Stop[],
): Report {
  const disturbed = (fromMs: number, untilMs: number) =>
    stops.some((stop) => fromMs <= stop.untilMs + toleranceMs && untilMs >= stop.fromMs - toleranceMs);
  const refused: Record<string, number> = {};
  for (const { answer } of sent) if (answer !== '202') refused[answer] = (refused[answer] ?? 0) + 1;
  const byEvent = Map.groupBy(received, ({ eventId }) => eventId);
  const lost: string[] = [];
  const twice: string[] = [];
  const first: number[] = [];
  const late: { eventId: string; dueMs: number; lateMs: number; disturbed: boolean }[] = [];
  for (const { eventId, ackedMs } of sent) {
    if (eventId === null) continue;
    const attempts = byEvent.get(eventId) ?? [];
    if (attempts.every(({ status }) => status !== 200)) lost.push(eventId);
    for (const [number, same] of Map.groupBy(attempts, ({ attempt }) => attempt))
      if (same.length > 1) twice.push(`${eventId} #${number}`);
    const [one, two] = attempts;
    // The consumer may be earlier than the sender's answer.
    if (one) first.push(Math.max(0, one.atMs - ackedMs));
    if (one && two) {
      const dueMs = one.atMs + retryMs.max;
      late.push({
        ...{ eventId, dueMs, lateMs: Math.max(0, two.atMs - dueMs) },
        // The tasks of the workflow: it starts after the first attempt, and its timer fires before the second.
        disturbed: disturbed(one.atMs, one.atMs) || disturbed(one.atMs + retryMs.min, dueMs),
      });
    }
  }
  const latest = late
    .toSorted((a, b) => b.lateMs - a.lateMs)
    .slice(0, named)
    .map(
      (retry) =>
        `${retry.eventId}, due ${new Date(performance.timeOrigin + retry.dueMs).toISOString()}: ` +
        `${Math.round(retry.lateMs)} ms late${retry.disturbed ? ', while a worker stopped' : ''}`,
    );
  return {
    ...{ sent: sent.length, refused, lost, twice, firstMs: timesOf(first) },
    retryLateMs: timesOf(late.map(({ lateMs }) => lateMs)),
    undisturbedLateMs: timesOf(late.flatMap((retry) => (retry.disturbed ? [] : [retry.lateMs]))),
    latest,
  };
}

function timesOf(values: number[]): Times {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
