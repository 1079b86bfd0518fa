/**
 * The actions of audit log entries: one for each route of the admin API, one for refused calls, one for unknown paths.
 */
export const auditActions = [
  'account.list',
  'account.create',
  'account.read',
  'account.update',
  'account.delete',
  'account.test_delivery',
  'provider.list',
  'destination.list',
  'destination.create',
  'destination.update',
  'destination.delete',
  'destination.test',
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
  'delivery.pause',
  'delivery.resume',
  'audit.list',
  'audit.stats',
  'audit.verify',
  'audit.purge',
  'backup.list',
  'backup.trigger',
  'upkeep.list',
  'upkeep.trigger',
  'upkeep.pause',
  'upkeep.resume',
  /** Written by `npm run reseal`. */
  'secrets.reseal',
  'auth.denied',
  /** An address under /admin that does not exist. */
  'unknown',
] as const;

export type AuditAction = (typeof auditActions)[number];
