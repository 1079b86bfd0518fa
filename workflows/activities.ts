import { proxyActivities } from '@temporalio/workflow';
import type { DeliveryActivities, NotificationRequest, NotifyRequest, NotifyResult } from './messages.ts';

const options = {
  // An attempt takes seconds. But if the database is down after the POST, the activity retries the recording for this
  // long, because another run of the activity would make the POST again.
  startToCloseTimeout: '15m',
  // The worker sends a heartbeat at least every 4 s (src/temporal/worker.ts). When it dies, the activity runs again on
  // another worker after this time and the first delay of a retry: within 10 s in all.
  heartbeatTimeout: '8s',
  // An attempt throws only when our own infrastructure fails (the database is down). Temporal retries it without a
  // limit, and this does not count as one of the ten attempts. A notification that needs another try sets the delay
  // itself; the row in the database counts its tries.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
} as const;

export const { attemptDelivery } = proxyActivities<DeliveryActivities>({
  ...options,
  // Short, so that attempts follow within 10 s when the database is back.
  retry: { ...options.retry, maximumInterval: '5s' },
});

/** Sends one notification. Resolves when the destination has accepted it or all tries have failed. */
export function notify(request: NotifyRequest, type: NotificationRequest['destinationType']): Promise<NotifyResult> {
  // The Web UI shows the summary beside the activity's name.
  const summary = `destination ${request.destinationId}`;
  const activities = proxyActivities<DeliveryActivities>({ ...options, summary });
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
      return type satisfies never;
  }
}
