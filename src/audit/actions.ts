/** What an entry of the audit log can be about: every route of the admin API, whoever was refused, and wrong addresses. */
export const auditActions = [
  'account.list',
  'account.create',
  'account.read',
  'account.update',
  'account.delete',
  'account.test_delivery',
  'destination.list',
  'destination.create',
  'destination.update',
  'destination.delete',
  'condition.check',
  'event.list',
  'event.filters',
  'event.read',
  'event.replay',
  'event.replay_failed',
  'event.ack',
  'event.fail',
  'delivery.stats',
  'delivery.failed',
  'delivery.retrying',
  'delivery.retry',
  'audit.list',
  'audit.stats',
  'audit.verify',
  'audit.purge',
  'auth.denied',
  /** An address under /admin that does not exist. */
  'unknown',
] as const;

export type AuditAction = (typeof auditActions)[number];
