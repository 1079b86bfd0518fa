import { Context } from '@temporalio/activity';
import type { DeliveryActivities } from '../workflows/messages.ts';
import type { Attempts } from './attempt/attempt.ts';

/** A third of the heartbeat timeout that workflows/activities.ts sets: two beats may get lost. */
const beatMs = 3_000;

/** The activities of event delivery. */
export function createDeliveryActivities(deps: {
  attempts: Attempts;
  attemptBegan(eventId: string): void;
}): DeliveryActivities {
  return {
    async attemptDelivery(request) {
      deps.attemptBegan(request.eventId);
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), beatMs);
      try {
        const made = await deps.attempts.attempt(request, { claimToken: null, signal: context.cancellationSignal });
        return made.result;
      } finally {
        clearInterval(beat);
      }
    },
  };
}
