import { useNow } from '../../components/moment.tsx';
import { Notice } from '../../components/notice.tsx';
import { byteText, numberText } from '../../components/number-text.ts';
import { durationText } from '../../components/time-text.ts';
import styles from './backups.module.css';
import type { Backup } from './use-backups.ts';

/** How far the running backup is, compared with the one before. */
export function RunningBackup({ running, backups }: { running: Backup; backups: readonly Backup[] }) {
  const sinceMs = Math.max(0, useNow() - Date.parse(running.created_at));
  const last = backups.find(({ status }) => status === 'completed') ?? null;
  const lastMs = last?.duration_ms ?? null;
  const { progress } = running;
  return (
    <Notice>
      <div className={styles.running}>
        <span>
          <strong>A backup is running</strong>
          {sinceMs >= 1_000 && ` for ${durationText(Math.floor(sinceMs / 1_000) * 1_000)}`}
          {lastMs !== null && `. The last one took ${durationText(lastMs)}`}. The gateway keeps working while it is
          made.
        </span>
        {progress && (
          <span className={styles.written}>
            {numberText(progress.rows)} rows{last?.rows != null && ` (the last one has ${numberText(last.rows)})`},{' '}
            {byteText(progress.bytes)}, {progress.tables} of {progress.all_tables} tables
          </span>
        )}
        <progress aria-label="Backup" value={shareOf(progress, last)} />
      </div>
    </Notice>
  );
}

/**
 * Which share is done, 0 to 1: of the rows of the last backup, since nobody counts the rows before; without one, of the
 * tables. Undefined before the first row.
 */
function shareOf(progress: Backup['progress'], last: Backup | null): number | undefined {
  if (!progress) return undefined;
  const byTables = progress.tables / progress.all_tables;
  if (!last?.rows) return byTables;
  // A gateway that grows has more rows than at its last backup.
  return Math.min(progress.rows / last.rows, byTables === 1 ? 1 : 0.99);
}
