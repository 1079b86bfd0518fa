import { useNow } from '../../components/moment.tsx';
import { Notice } from '../../components/notice.tsx';
import { durationText } from '../../components/time-text.ts';
import styles from './backups.module.css';
import type { Backup } from './use-backups.ts';

/** How long the running backup has taken, compared with the one before. */
export function RunningBackup({ running, backups }: { running: Backup; backups: readonly Backup[] }) {
  const sinceMs = Math.max(0, useNow() - Date.parse(running.created_at));
  const lastMs = backups.find(({ status }) => status === 'completed')?.duration_ms ?? null;
  return (
    <Notice>
      <div className={styles.running}>
        <span>
          <strong>A backup is running</strong>
          {sinceMs >= 1_000 && ` for ${durationText(Math.floor(sinceMs / 1_000) * 1_000)}`}
          {lastMs !== null && `. The last one took ${durationText(lastMs)}`}. The gateway keeps working while it is
          made.
        </span>
        <progress aria-label="Backup" />
      </div>
    </Notice>
  );
}
