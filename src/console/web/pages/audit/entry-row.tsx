import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Moment } from '../../components/moment.tsx';
import { actionText } from './actions.ts';
import styles from './audit.module.css';
import type { Entry } from './audit-types.ts';
import { EntryDetails } from './entry-details.tsx';
import { EntrySubject } from './entry-subject.tsx';

/** An entry in one line: when, who and what. */
export function EntryRow({ entry, names }: { entry: Entry; names: ReadonlyMap<string, string> }) {
  const [isOpen, setIsOpen] = useState(false);
  const { id, actor, action, ip_address, timestamp } = entry;
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <span className={styles.time}>
          <Moment iso={timestamp} />
        </span>
        <span className={styles.actor}>
          <bdi>{actor}</bdi>
        </span>
        <span className={styles.what}>
          <Refusal entry={entry} />
          <strong>{actionText(action)}</strong> <EntrySubject entry={entry} names={names} />
        </span>
        <span className={styles.address}>
          <bdi>{ip_address}</bdi>
        </span>
        <Button tone="quiet" aria-expanded={isOpen} aria-controls={`entry-${id}`} onClick={() => setIsOpen(!isOpen)}>
          Details
        </Button>
      </div>
      {isOpen && <EntryDetails entry={entry} names={names} />}
    </li>
  );
}

/** That the call was refused or failed, and changed nothing. */
function Refusal({ entry: { details } }: { entry: Entry }) {
  const { status } = details;
  if (typeof status !== 'number' || status < 400) return null;
  return (
    <>
      <Badge
        state={status < 500 ? 'refused' : 'error'}
        label={`${status < 500 ? 'refused' : 'failed'} ${status}`}
      />{' '}
    </>
  );
}
