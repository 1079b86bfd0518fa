import type { AuditAction } from '../../../../http/admin/actions.ts';

/** What a caller did, by action, and whether the call changes or sends something, or only reads. */
const texts: Record<AuditAction, readonly [text: string, kind: 'act' | 'read']> = {
  'token.read': ['Read its own role', 'read'],
  'account.list': ['Listed accounts', 'read'],
  'account.create': ['Created an account', 'act'],
  'account.read': ['Read an account', 'read'],
  'account.update': ['Changed an account', 'act'],
  'account.delete': ['Deleted an account', 'act'],
  'account.consumer': ['Read the statistics of a consumer', 'read'],
  'account.secrets': ['Read which secrets are in use', 'read'],
  'account.test_delivery': ['Sent a test delivery', 'act'],
  'provider.list': ['Listed providers', 'read'],
  'destination.list': ['Listed destinations', 'read'],
  'destination.create': ['Created a destination', 'act'],
  'destination.update': ['Changed a destination', 'act'],
  'destination.delete': ['Deleted a destination', 'act'],
  'destination.test': ['Sent a test message', 'act'],
  'condition.check': ['Evaluated a condition', 'read'],
  'condition.names': ['Read names for conditions', 'read'],
  'condition.preview': ['Checked a condition', 'read'],
  'event.list': ['Listed events', 'read'],
  'event.filters': ['Read values for filters', 'read'],
  'event.search': ['Searched in payloads', 'read'],
  'event.stream': ['Opened the live stream', 'read'],
  'event.read': ['Read an event', 'read'],
  'event.payload': ['Downloaded a payload', 'read'],
  'event.replay': ['Replayed an event', 'act'],
  'event.replay_failed': ['Replayed all failed events', 'act'],
  'event.ack': ['Acknowledged an event', 'act'],
  'event.fail': ['Marked an event as failed', 'act'],
  'event.bulk': ['Ordered a bulk job', 'act'],
  'event.bulk_list': ['Listed bulk jobs', 'read'],
  'event.bulk_read': ['Read a bulk job', 'read'],
  'event.bulk_stop': ['Stopped a bulk job', 'act'],
  'event.bulk_end': ['Bulk job ended', 'act'],
  'delivery.stats': ['Read the statistics of deliveries', 'read'],
  'delivery.series': ['Read deliveries over time', 'read'],
  'delivery.accounts': ['Read failing accounts', 'read'],
  'delivery.failed': ['Listed failed events', 'read'],
  'delivery.retrying': ['Listed events in retry', 'read'],
  'delivery.retry': ['Retried an event', 'act'],
  'delivery.pause': ['Paused all deliveries', 'act'],
  'delivery.resume': ['Resumed deliveries', 'act'],
  'audit.list': ['Read the audit log', 'read'],
  'audit.stats': ['Read the statistics of the audit log', 'read'],
  'audit.verify': ['Verified the audit log', 'read'],
  'audit.purge': ['Purged the audit log', 'act'],
  'backup.list': ['Listed backups', 'read'],
  'backup.trigger': ['Started a backup', 'act'],
  'upkeep.list': ['Listed maintenance tasks', 'read'],
  'upkeep.runs': ['Listed runs of a maintenance task', 'read'],
  'upkeep.trigger': ['Ran a maintenance task', 'act'],
  'upkeep.pause': ['Paused a maintenance task', 'act'],
  'upkeep.resume': ['Resumed a maintenance task', 'act'],
  'process.list': ['Listed the processes of the gateway', 'read'],
  'health.read': ['Read the health of the gateway', 'read'],
  'settings.read': ['Read the settings', 'read'],
  'secrets.reseal': ['Encrypted secrets with another key', 'act'],
  'auth.denied': ['Was refused', 'act'],
  unknown: ['Asked for an address that does not exist', 'act'],
};

/** The texts, also for actions of another version of the gateway, which have none. */
const known = new Map(Object.entries(texts));

/** What the caller did, in words. */
export const actionText = (action: string): string => known.get(action)?.[0] ?? action;

/** Whether calls with this action only read. An open console makes some each minute. */
export const isReading = (action: string): boolean => known.get(action)?.[1] === 'read';
