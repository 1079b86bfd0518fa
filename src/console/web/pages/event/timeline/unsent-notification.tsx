import { Badge } from '../../../components/badge.tsx';
import { Moment } from '../../../components/moment.tsx';
import type { Notification } from '../use-event.ts';
import styles from './timeline.module.css';

/** A notification that waits, has failed, or was left to a summary. */
export function UnsentNotification({ notification }: { notification: Notification }) {
  const { name, status, attempts, error, next_attempt_at } = notification;
  return (
    <li className={styles.entry} data-tone={status === 'failed' ? 'bad' : 'calm'}>
      <div className="line">
        <strong>
          Notification of <bdi>{name}</bdi>
        </strong>
        <Badge state={status} />
        {next_attempt_at !== null && (
          <span className={styles.at}>
            next try <Moment iso={next_attempt_at} ago />
          </span>
        )}
      </div>
      {status === 'suppressed' && <p className="aside">Left to a summary, because many events failed at once.</p>}
      {attempts > 0 && <p className="aside">{attempts === 1 ? 'One try' : `${attempts} tries`}</p>}
      {error !== null && (
        <p className={styles.error}>
          <bdi>{error}</bdi>
        </p>
      )}
    </li>
  );
}
