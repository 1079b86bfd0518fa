import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Moment } from '../../components/moment.tsx';
import { byteText, numberText } from '../../components/number-text.ts';
import { durationText } from '../../components/time-text.ts';
import { BackupDetails } from './backup-details.tsx';
import styles from './backups.module.css';
import type { Backup } from './use-backups.ts';

const tones: Record<Backup['status'], string> = {
  ...{ completed: 'completed', failed: 'failed' },
  ...{ running: 'pending', unverified: 'paused' },
};

/** A backup with what a list shows of it; the rest opens below. */
export function BackupRow({ backup }: { backup: Backup }) {
  const [isOpen, setIsOpen] = useState(false);
  const { id, name, status, trigger, size_bytes, rows, created_at, duration_ms, error } = backup;
  return (
    <>
      <tr data-open={isOpen || error !== null}>
        <td>
          <Badge state={tones[status]} label={status} />
        </td>
        <td>
          <Moment iso={created_at} />
        </td>
        <td className={styles.medium}>{trigger ?? 'found in the store'}</td>
        <td className={`${styles.number} ${styles.small}`}>{size_bytes === null ? '–' : byteText(size_bytes)}</td>
        <td className={`${styles.number} ${styles.medium}`}>{rows === null ? '–' : numberText(rows)}</td>
        <td className={`${styles.number} ${styles.medium}`}>
          {duration_ms === null ? '–' : durationText(duration_ms)}
        </td>
        <td className={styles.wide}>
          <code>{name ?? '–'}</code>
        </td>
        <td className={styles.last}>
          <Button tone="quiet" aria-expanded={isOpen} aria-controls={`backup-${id}`} onClick={() => setIsOpen(!isOpen)}>
            Details
          </Button>
        </td>
      </tr>
      {(isOpen || error !== null) && (
        <tr>
          <td className={styles.below} colSpan={8} id={`backup-${id}`}>
            {error !== null && <p className={styles.error}>{error}</p>}
            {isOpen && <BackupDetails backup={backup} />}
          </td>
        </tr>
      )}
    </>
  );
}
