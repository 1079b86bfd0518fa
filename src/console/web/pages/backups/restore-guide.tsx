import { Link } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import { Panel } from '../../components/page.tsx';
import styles from './backups.module.css';
import { ownServerCommands, restoreCommand, resumeCommand, verifyCommand } from './restore-commands.ts';
import type { Backup } from './use-backups.ts';

/** The steps of a restore, with commands for the newest backup. They run in a shell: a restore needs no gateway. */
export function RestoreGuide({ newest }: { newest: Backup | null }) {
  const name = newest?.name ?? '<file>';
  const { origin } = location;
  return (
    <Panel title="Restore a backup">
      <ol className={`numbered ${styles.steps}`}>
        <li>
          <h3>Stop all gateways on the old database</h3>
          <p>A restore needs a database without tables. It writes nothing into the old one.</p>
        </li>
        <li>
          <h3>Have the key</h3>
          <p>
            Set <code>SECRETS_KEY</code> to the key of the gateway that made the backup
            {newest?.key_id ? (
              <>
                : its id is <code>{newest.key_id}</code>
              </>
            ) : (
              ''
            )}
            . With another key the restore names the ids of both and stops.
          </p>
        </li>
        <li>
          <h3>Restore into an empty database</h3>
          <p>
            The name is that of a file in <code>BACKUP_DIR</code> or <code>BACKUP_URL</code>, or a path.
          </p>
          <Command text={restoreCommand(name)} />
          <p>Or into the PostgreSQL of npm start, with a new data folder:</p>
          <Command text={ownServerCommands(name)} />
        </li>
        <li>
          <h3>Start the gateway and verify the audit log</h3>
          <p>
            Deliveries are paused, and webhooks are accepted. Verify with the head that the restore printed, by this
            command or in the <Link to="/audit">audit log</Link>.
          </p>
          <Command text={verifyCommand(origin)} />
        </li>
        <li>
          <h3>Resume deliveries</h3>
          <p>
            Pending events continue with their next attempt. An event that was delivered after the backup was made is
            delivered again, with the same <code>webhook-id</code>.
          </p>
          <Command text={resumeCommand(origin)} />
        </li>
      </ol>
      <p className={`aside ${styles.more}`}>
        For Docker Compose and for backups of another key, see <code>docs/backups.md</code> in the repository of the
        gateway.
      </p>
    </Panel>
  );
}

function Command({ text }: { text: string }) {
  return (
    <div className={styles.command}>
      <pre>{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}
