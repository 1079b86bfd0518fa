import { proxyActivities } from '@temporalio/workflow';
import type { DeliveryActivities, NotificationRequest, NotifyRequest, NotifyResult } from './messages.ts';

const options = {
  // An attempt takes seconds. But if the database is down after the POST, the activity retries the recording for this
  // long, because another run of the activity would make the POST again.
  startToCloseTimeout: '15m',
  // The activity sends a heartbeat every 3 s, so the loss of a worker is detected within this time.
  heartbeatTimeout: '10s',
  // An attempt throws only when our own infrastructure fails (the database is down). Temporal retries it without a
  // limit, and this does not count as one of the ten attempts. A notification that needs another try sets the delay
  // itself; the row in the database counts its tries.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
} as const;

export const { attemptDelivery } = proxyActivities<DeliveryActivities>(options);

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
