import { useMay } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { BackupList } from './backup-list.tsx';
import { BackupSchedule } from './backup-schedule.tsx';
import { RestoreGuide } from './restore-guide.tsx';
import { RunningBackup } from './running-backup.tsx';
import { useBackups, useBackupTask, useMakeBackup } from './use-backups.ts';

/** The backups of the gateway, and what a restore needs. */
export function BackupsPage() {
  const { data, error, refetch } = useBackups();
  const { data: task } = useBackupTask();
  const make = useMakeBackup();
  const mayAdmin = useMay('admin');
  const running = data?.find(({ status }) => status === 'running');
  const isMissing = task ? !task.scheduled : false;
  const actions = mayAdmin && (
    <Button
      tone="main"
      blocked={make.isPending || running !== undefined || isMissing}
      aria-describedby={isMissing ? 'no-backups' : undefined}
      onClick={() => make.mutate()}
    >
      {running ? 'A backup is running' : 'Make a backup'}
    </Button>
  );
  return (
    <Page title="Backups" actions={actions}>
      {make.error && <ProblemNotice error={make.error} />}
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      <BackupSchedule backups={data ?? []} />
      {running && data && <RunningBackup running={running} backups={data} />}
      {data && (
        <Panel title="All backups">
          {data.length === 0 ? (
            <Empty title="No backups yet">
              <p>
                The first one is made at night.{' '}
                {mayAdmin ? 'Make one now, so that you can try a restore.' : 'An admin can make one now.'}
              </p>
            </Empty>
          ) : (
            <BackupList backups={data} />
          )}
        </Panel>
      )}
      {data && <RestoreGuide newest={data.find(({ status }) => status === 'completed') ?? null} />}
    </Page>
  );
}
