/**
 * What a worker can be there for. Each purpose has a task queue of its own, so that a long or missing worker of one
 * purpose does not hold up another one. All workflows run on the queue of `deliveries`, which every worker of every
 * release serves: only activities are on the other queues (docs/task-queues.md).
 */
export const purposes = ['deliveries', 'notifications', 'maintenance', 'backups'] as const;
export type Purpose = (typeof purposes)[number];

/** @param deliveryQueue TEMPORAL_TASK_QUEUE */
export const queueOf = (deliveryQueue: string, purpose: Purpose) =>
  purpose === 'deliveries' ? deliveryQueue : `${deliveryQueue}-${purpose}`;
