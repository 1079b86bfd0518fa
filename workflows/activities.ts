import { proxyActivities } from '@temporalio/workflow';
import type { DeliveryActivities, NotificationRequest, NotifyRequest, NotifyResult } from './messages.ts';

const options = {
  // One attempt takes seconds. But when it was made and the database is away, recording it goes on for as long as this,
  // because a new run of the activity would make the POST again.
  startToCloseTimeout: '15m',
  // The activity beats every 3 s while it lasts, so a killed worker is noticed within this.
  heartbeatTimeout: '10s',
  // Only our own infrastructure makes an attempt throw (the database is down): asked again until it is back, at no
  // attempt's cost. A notification that is to be tried again says itself when; the row in the database counts its tries.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
} as const;

export const { attemptDelivery } = proxyActivities<DeliveryActivities>(options);

/** Has one destination told, until it has taken the message or all tries have failed. */
export function notify(request: NotifyRequest, type: NotificationRequest['destinationType']): Promise<NotifyResult> {
  // The summary is what the Web UI shows beside the activity's name.
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
