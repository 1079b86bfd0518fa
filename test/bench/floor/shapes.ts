import type { Startable } from '../../../src/engine/startable.ts';
import type { AttemptRequest, AttemptResult, DeliverySchedule } from '../../../workflows/messages.ts';

/** What happens to each event after its first attempt, which is made without Temporal. */
export interface Shape {
  /** What the event's row says when its workflow starts. */
  row: Pick<Startable, 'deliveryStatus' | 'scheduledAttempts'>;
  /** Starts in flight. */
  concurrency: number;
  /** What the attempts of the workflow return. */
  attempt(request: AttemptRequest): AttemptResult;
}

/** The number of scheduled attempts. */
const attempts = 10;

/** @param delayMs between two attempts */
export const schedule = (delayMs: number): DeliverySchedule => ({
  delaysMs: Array.from({ length: attempts - 1 }, () => delayMs),
  ...{ timeLimitMs: 30_000, holdMs: 60_000, holdLimitMs: 60_000 },
});

export const shapes: Record<string, (delayMs: number) => Shape> = {
  /** Delivered by its first attempt. */
  settled: () => ({
    row: { deliveryStatus: 'delivered', scheduledAttempts: 1 },
    concurrency: 3,
    attempt: () => ({ kind: 'stopped', reason: 'already_settled' }),
  }),
  /** Delivered by its second attempt. */
  retried: () => ({
    row: { deliveryStatus: 'pending', scheduledAttempts: 1 },
    concurrency: 32,
    attempt: () => ({ kind: 'delivered' }),
  }),
  /** All ten attempts fail. */
  exhausted: (delayMs) => ({
    row: { deliveryStatus: 'pending', scheduledAttempts: 1 },
    concurrency: 32,
    attempt: ({ number }) =>
      number < attempts
        ? { kind: 'failed', waitMs: delayMs }
        : { kind: 'exhausted', attempted: true, endsAs: 'failed' },
  }),
};
