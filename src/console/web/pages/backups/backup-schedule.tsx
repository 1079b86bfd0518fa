import { Link } from '@tanstack/react-router';
import { useSettings } from '../../api/settings.ts';
import { Moment } from '../../components/moment.tsx';
import { Notice } from '../../components/notice.tsx';
import { counted } from '../../components/number-text.ts';
import { Facts, Panel } from '../../components/page.tsx';
import { QueryProblem } from '../../components/query-problem.tsx';
import styles from './backups.module.css';
import { type Backup, useBackupTask } from './use-backups.ts';

/** When the last backup was made and when the next one will be, and whether backups are made at all. */
export function BackupSchedule({ backups }: { backups: readonly Backup[] }) {
  const query = useBackupTask();
  const { data: task, error } = query;
  const completed = backups.filter(({ status }) => status === 'completed');
  const keys = new Set(completed.flatMap(({ key_id }) => key_id ?? []));
  return (
    <>
      <QueryProblem of={query} />
      {task && !task.scheduled && (
        <div id="no-backups">
          <Notice tone="open">
            <span>
              <strong>No worker makes backups.</strong> Set <code>BACKUP_DIR</code> to a folder that all workers share,
              or <code>BACKUP_URL</code> to a bucket, and start the workers again.
            </span>
          </Notice>
        </div>
      )}
      {task?.paused && (
        <Notice tone="open">
          <span>
            <strong>The nightly backup is paused.</strong> Backups are made only by hand until it is resumed in{' '}
            <Link to="/maintenance">Maintenance</Link>.
          </span>
        </Notice>
      )}
      <Panel>
        <Facts
          rows={{
            'Last complete backup': <Moment iso={completed[0]?.created_at ?? null} ago />,
            'Next one': error ? 'not known' : task ? <Moment iso={task.next_run_at} ago /> : '…',
            Schedule: task?.schedule ?? null,
            'Can be restored': counted(completed.length, 'backup'),
            [keys.size > 1 ? 'Keys that they need' : 'Key that they need']:
              keys.size === 0 ? null : <Keys ids={[...keys]} />,
          }}
        />
        <p className={styles.warning}>
          Keep a copy of <code>SECRETS_KEY</code> in another place than the backups. A backup cannot be read without it.{' '}
          <KeyFile />
        </p>
      </Panel>
    </>
  );
}

/** Where the key is that `npm start` has made; nothing where the key is set. */
function KeyFile() {
  const { data } = useSettings();
  const setting = (name: string) => data?.settings.find((one) => one.name === name);
  const folder = setting('DATA_DIR')?.value;
  if (setting('SECRETS_KEY')?.source !== 'generated' || !folder) return null;
  return (
    <>
      <code>npm start</code> keeps the key in <code>{`${folder.replace(/\/+$/, '')}/secrets/secrets-key`}</code>.
    </>
  );
}

const Keys = ({ ids }: { ids: string[] }) => <code>{ids.join(', ')}</code>;
