/**
 * The actions of audit log entries: one for each route of the admin API, one for refused calls, one for unknown paths.
 */
export const auditActions = [
  'token.read',
  'account.list',
  'account.create',
  'account.read',
  'account.update',
  'account.delete',
  'account.consumer',
  'account.secrets',
  'account.test_delivery',
  'provider.list',
  'destination.list',
  'destination.create',
  'destination.update',
  'destination.delete',
  'destination.test',
  'condition.check',
  'condition.names',
  'condition.preview',
  'event.list',
  'event.filters',
  'event.search',
  'event.stream',
  'event.read',
  'event.payload',
  'event.replay',
  'event.replay_failed',
  'event.ack',
  'event.fail',
  'event.bulk',
  'event.bulk_list',
  'event.bulk_read',
  'event.bulk_stop',
  /** Written by a worker when a bulk job ends. */
  'event.bulk_end',
  'delivery.stats',
  'delivery.series',
  'delivery.accounts',
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
  'health.read',
  'settings.read',
  /** Written by `npm run reseal`. */
  'secrets.reseal',
  'auth.denied',
  /** An address under /admin that does not exist. */
  'unknown',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** The actions about one event that change nothing and send nothing. */
export const readActions = ['condition.check', 'event.read', 'event.payload'] as const satisfies AuditAction[];
