import { Context } from '@temporalio/activity';
import { purgeAuditLogs } from '../src/audit/purge.ts';
import { beginScheduledBackup, failBackup } from '../src/backups/backup-rows.ts';
import { type BackupDeps, makeBackup } from '../src/backups/make-backup.ts';
import { failureOf } from '../src/maintenance/failures.ts';
import { retainEvents } from '../src/maintenance/retention/run-retention.ts';
import { type SweepDeps, sweepOverdue } from '../src/maintenance/sweep.ts';
import type { Keyring } from '../src/secrets/keyring.ts';
import type { MaintenanceActivities, MaintenanceCounts } from '../workflows/maintenance-messages.ts';
import { type Progress, whileBeating } from './alive.ts';
import { withPlainFailures } from './failures.ts';

/** The actor of a scheduled purge in the audit log: the gateway itself, with the address of this machine. */
const gateway = { actor: 'gateway', ipAddress: '127.0.0.1' };

/** The maintenance activities. `ending` aborts those in progress; Temporal then retries them at once, on another worker. */
export function createMaintenanceActivities(
  deps: BackupDeps & Omit<SweepDeps, 'sql'> & { keyring: Keyring; ending: AbortSignal },
): MaintenanceActivities {
  const { database, log, ending } = deps;
  const task = (work: (signal: AbortSignal, progress: Progress) => Promise<MaintenanceCounts>) =>
    whileBeating(async (progress) => {
      const signal = AbortSignal.any([Context.current().cancellationSignal, ending]);
      try {
        return await work(signal, progress);
      } catch (error) {
        throw failureOf(error, signal, log);
      }
    });
  return {
    async beginBackup({ workflowId }) {
      const backupId = await withPlainFailures(log, () => beginScheduledBackup(database, workflowId));
      return backupId === null ? null : { backupId };
    },
    makeBackup: ({ backupId }) => task((signal, progress) => makeBackup(deps, backupId, signal, progress)),
    async failBackup({ backupId, error }) {
      await withPlainFailures(log, () => failBackup(database, backupId, error));
    },
    purgeAuditLog: ({ olderThanDays }) =>
      task(async (signal) => ({ deleted: await purgeAuditLogs({ ...deps, signal }, { olderThanDays, ...gateway }) })),
    retainEvents: ({ olderThanDays }) => task((signal) => retainEvents(deps, olderThanDays, signal)),
    sweepOverdue: () => task((signal) => sweepOverdue({ ...deps, sql: database }, signal)),
  };
}
