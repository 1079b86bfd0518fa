import { proxyActivities } from '@temporalio/workflow';
import type { DeliveryActivities } from './messages.ts';

export const { attemptDelivery } = proxyActivities<DeliveryActivities>({
  // One attempt takes seconds. But when it was made and the database is away, recording it goes on for as long as this,
  // because a new run of the activity would make the POST again.
  startToCloseTimeout: '15m',
  // The activity beats every 3 s while it lasts, so a killed worker is noticed within this.
  heartbeatTimeout: '10s',
  // Only our own infrastructure makes it throw (the database is down): asked again until it is back, at no attempt's cost.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});
