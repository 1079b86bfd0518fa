import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Attempts } from '../src/delivery/attempt/attempt.ts';
import type { Notifier } from '../src/notifications/sending/notifier.ts';
import type { Log } from '../src/shared/log.ts';
import type { DeliveryActivities, NotifyRequest, NotifyResult } from '../workflows/messages.ts';
import { whileBeating } from './alive.ts';
import { withPlainFailures } from './failures.ts';

/**
 * The activities of event delivery. What a consumer or a destination has answered is recorded also when Temporal has
 * cancelled the activity, because only this process knows it: after an outage of Temporal, each activity has timed out.
 */
export function createDeliveryActivities(deps: {
  attempts: Attempts;
  notifier: Notifier;
  log: Log;
  /** Ends the retries of records while PostgreSQL is away, at the stop of the worker. */
  recordingEnds: AbortSignal;
}): DeliveryActivities {
  const { recordingEnds: signal } = deps;
  /** Makes one try per call. Temporal waits before it calls again, so a wait occupies no activity slot. */
  const notify = async (request: NotifyRequest): Promise<NotifyResult> => {
    const told = await withPlainFailures(deps.log, () => whileBeating(() => deps.notifier.notify(request, signal)));
    switch (told.kind) {
      case 'settled':
        return { status: told.status };
      case 'gone':
        return { status: 'gone' };
      case 'later':
        throw ApplicationFailure.create({
          type: 'NotTakenYet',
          message: 'the destination has not taken it yet; why not is shown with the event',
          nextRetryDelay: told.waitMs,
          // Not an error of the worker, so the SDK should not log a warning with a stack trace for each try.
          category: ApplicationFailureCategory.BENIGN,
        });
      default:
        return told satisfies never;
    }
  };
  return {
    async attemptDelivery(request) {
      const made = await withPlainFailures(deps.log, () =>
        whileBeating(() => deps.attempts.attempt(request, { claimToken: null, signal })),
      );
      return made.result;
    },
    notifyWebhook: notify,
    notifyEmail: notify,
    notifyChatOne: notify,
    notifyChatTwo: notify,
  };
}
