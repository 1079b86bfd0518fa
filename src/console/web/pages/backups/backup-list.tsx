import { BackupRow } from './backup-row.tsx';
import styles from './backups.module.css';
import type { Backup } from './use-backups.ts';

/** The backups, newest first. The narrower the window, the more of a row stands in its details. */
export function BackupList({ backups }: { backups: readonly Backup[] }) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Made</th>
          <th scope="col" className={styles.medium}>
            Started by
          </th>
          <th scope="col" className={`${styles.number} ${styles.small}`}>
            Size
          </th>
          <th scope="col" className={`${styles.number} ${styles.medium}`}>
            Rows
          </th>
          <th scope="col" className={`${styles.number} ${styles.medium}`}>
            Took
          </th>
          <th scope="col" className={styles.wide}>
            File
          </th>
          <th scope="col" className={styles.last}>
            <span className="visually-hidden">Details</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {backups.map((backup) => (
          <BackupRow key={backup.id} backup={backup} />
        ))}
      </tbody>
    </table>
  );
}
