import { type Column, TableHead } from '../../components/page.tsx';
import { BackupRow } from './backup-row.tsx';
import styles from './backups.module.css';
import type { Backup } from './use-backups.ts';

const number = styles.number;
const columns: readonly Column[] = [
  'State',
  'Made',
  ['Started by', styles.medium],
  ['Size', `${number} ${styles.small}`],
  ['Rows', `${number} ${styles.medium}`],
  ['Took', `${number} ${styles.medium}`],
  ['File', styles.wide],
  [
    <span key="details" className="visually-hidden">
      Details
    </span>,
    styles.last,
  ],
];

/** The backups, newest first. The narrower the window, the more of a row stands in its details. */
export function BackupList({ backups }: { backups: readonly Backup[] }) {
  return (
    <table className={styles.table}>
      <TableHead columns={columns} />
      <tbody>
        {backups.map((backup) => (
          <BackupRow key={backup.id} backup={backup} />
        ))}
      </tbody>
    </table>
  );
}
