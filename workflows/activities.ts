import { proxyActivities } from '@temporalio/workflow';
import { unknownKind } from './invalid-data.ts';
import type {
  AttemptRequest,
  AttemptResult,
  DeliveryActivities,
  NotificationRequest,
  NotifyRequest,
  NotifyResult,
} from './messages.ts';
import { queueOfPurpose } from './queue-of-purpose.ts';

const options = {
  // An attempt takes seconds. But if the database is down after the POST, the activity retries the recording, also when this
  // time is over: another run of the activity on the same worker waits for it, and makes no second POST.
  startToCloseTimeout: '15m',
  // The worker sends a heartbeat at least every 4 s (src/temporal/worker-options.ts). When it dies, the activity runs again on
  // another worker after this time and the first delay of a retry: within 10 s in all.
  heartbeatTimeout: '8s',
  // Retried without end: an attempt throws only when our own infrastructure fails (the database is down), and an event
  // must not be lost because that lasts. It does not count as one of the ten attempts. A notification that needs another
  // try sets the delay itself; its row in the database counts the tries and ends them. What can never succeed is thrown
  // as non-retryable (activities/failures.ts).
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
} as const;

// On the workflow's own queue: only there does the server return the attempt with the response to the workflow task.
const { attemptDelivery } = proxyActivities<DeliveryActivities>({
  ...options,
  // Without end, as above. Short, so that attempts follow within 10 s when the database is back.
  retry: { ...options.retry, maximumInterval: '5s' },
});

/** Makes an attempt. The Web UI shows the summary beside the activity's name. */
export const attempt = (request: AttemptRequest, summary: string): Promise<AttemptResult> =>
  attemptDelivery.executeWithOptions({ summary }, [request]);

/**
 * How long a notification waits for a worker that takes `notifications`. Then the activity fails, and the sweep sends the
 * notification from its row, as after any other failure. So a workflow does not stay open for ever while no worker takes
 * this queue. Longer than a burst of notifications waits for a slot.
 */
const notTakenLimit = '5m';

/**
 * Sends one notification. Resolves when the destination has accepted it or all tries have failed.
 *
 * @throws ActivityFailure when no worker takes it, or it can never succeed; InvalidDataError for an unknown type.
 */
export function notify(request: NotifyRequest, type: NotificationRequest['destinationType']): Promise<NotifyResult> {
  // The Web UI shows the summary next to the activity's name.
  const summary = `destination ${request.destinationId}`;
  const activities = proxyActivities<DeliveryActivities>({
    ...options,
    ...{ summary, taskQueue: queueOfPurpose('notifications'), scheduleToStartTimeout: notTakenLimit },
  });
  switch (type) {
    case 'webhook':
      return activities.notifyWebhook(request);
    case 'email':
      return activities.notifyEmail(request);
    case 'chat_one':
      return activities.notifyChatOne(request);
    case 'chat_two':
      return activities.notifyChatTwo(request);
    default:
      throw unknownKind('a destination', type);
  }
}
