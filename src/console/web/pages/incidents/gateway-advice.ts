import type { NamedGatewayCause } from '../../../../incidents/gateway-cause.ts';

/** What an operator can do about an incident of the gateway itself. From docs/runbook.md. Backticks mark code. */
const advice: Record<NamedGatewayCause, string> = {
  'Temporal does not answer':
    'First attempts go on; retries, notifications and maintenance wait. Check that Temporal runs, and that workers reach it: their log names the reason. They continue by themselves.',
  'the database did not answer':
    'It answers again. Until then, webhooks were answered 503, and most providers send these again. Look in the log of PostgreSQL for the reason: a restart, a failover, a full disk, or a time in which it took no writes.',
  'the database is slow':
    'Each webhook waits for it. Look at the load of PostgreSQL, at its disk, and at the network between.',
  'no worker runs':
    'First attempts go on; retries, notifications and maintenance wait. Start a worker. If one should run, its log says why it ended.',
  'starts of workflows fall behind':
    'First attempts go on; retries wait for Temporal. Check that it runs and is reachable. If it is too slow for all events, give it more capacity, or set `EVENT_WORKFLOWS=on_retry`.',
  'an event has been pending for more than 4.5 hours':
    'It waits for something other than its schedule. After an outage of hours, or a replay, it needs only time. Otherwise check that workers and Temporal run, and declare dead what is no longer needed.',
  'no backup has completed for 36 hours':
    'The list of backups says why the last one failed. Correct that, such as free space or the credentials of the bucket, and make a backup. If the task `backup` is paused, resume it in Maintenance.',
  'tables for fewer than 3 days are prepared':
    'The task `retention` has prepared none for days. Its last run says why; the usual cause is a session that holds a lock in PostgreSQL. End that session, and run the task.',
  'a client certificate of a consumer expires within 14 days':
    'After that, deliveries to this consumer fail. Each consumer shows the end of its certificate on the page of its account; GatewayClientCertificateExpires in the runbook has a query for all. Set a new certificate and its key.',
};
const ofDisk =
  'PostgreSQL and backups stop when it is full, and webhooks are answered 503 then. Free space, or give it more. `EVENT_RETENTION_DAYS` and `BACKUP_KEEP` say how much the gateway keeps.';

const byCause = new Map<string, string>(Object.entries(advice));

/** What to do about an incident of the gateway itself; null for a cause of another release. */
export const adviceOnGateway = (cause: string): string | null =>
  byCause.get(cause) ?? (/^the disk at .+ is nearly full$/s.test(cause) ? ofDisk : null);
