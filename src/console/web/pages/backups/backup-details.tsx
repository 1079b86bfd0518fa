import { byteText, numberText } from '../../components/number-text.ts';
import { Facts } from '../../components/page.tsx';
import { durationText } from '../../components/time-text.ts';
import { ToCopy } from '../../components/to-copy.tsx';
import styles from './backups.module.css';
import { restoreCommand } from './restore-commands.ts';
import type { Backup } from './use-backups.ts';

/** File, checksum and key of a backup, with the command that restores it. */
export function BackupDetails({ backup }: { backup: Backup }) {
  const { name, status, sha256, key_id, encrypted, rows, size_bytes, duration_ms, trigger } = backup;
  const command = name === null ? null : restoreCommand(name, { isUnverified: status === 'unverified' });
  return (
    <div className={`stack ${styles.details}`}>
      <Facts
        rows={{
          'Started by': trigger ?? 'found in the store',
          Size: size_bytes === null ? null : byteText(size_bytes),
          Rows: rows === null ? null : numberText(rows),
          Took: duration_ms === null ? null : durationText(duration_ms),
          Encrypted: encrypted === null ? null : encrypted ? 'yes' : 'no: payloads are readable',
          'SECRETS_KEY with the id': key_id === null ? null : <code>{key_id}</code>,
        }}
      />
      {name !== null && <ToCopy label="File" text={name} />}
      {sha256 !== null && <ToCopy label="SHA-256 of the file" text={sha256} />}
      {command !== null && status !== 'failed' && <ToCopy label="Restore into an empty database" text={command} />}
      {status === 'unverified' && (
        <p className={styles.error}>
          The signature of this file is not valid, so its content may not be that of your gateway. Restore it only if
          you know its origin, and check the delivery URLs of all accounts before you resume deliveries.
        </p>
      )}
    </div>
  );
}
