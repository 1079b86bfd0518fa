import type { QueueActivities } from '../src/temporal/queue-workers.ts';
import type { MaintenanceActivities } from '../workflows/maintenance-messages.ts';
import type { DeliveryActivities } from '../workflows/messages.ts';

/** Distributes the activities over the queues. */
export function activitiesOfQueues(delivery: DeliveryActivities, maintenance: MaintenanceActivities): QueueActivities {
  const { attemptDelivery, ...notifications } = delivery;
  const { beginBackup, failBackup, purgeAuditLog, retainEvents, sweepOverdue, makeBackup } = maintenance;
  return {
    deliveries: { attemptDelivery, beginBackup, failBackup },
    notifications,
    maintenance: { purgeAuditLog, retainEvents, sweepOverdue },
    backups: { makeBackup },
  };
}
