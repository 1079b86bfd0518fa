import type { ReactNode } from 'react';
import type { EventDetails } from '../../../api/types.ts';
import { Badge } from '../../../components/badge.tsx';
import { Moment } from '../../../components/moment.tsx';
import { counted } from '../../../components/number-text.ts';
import { AttemptDetails } from './attempt-details.tsx';
import { operatorText } from './operator-text.ts';
import styles from './timeline.module.css';
import { type Entry, toneOf } from './timeline-entries.ts';

/** One thing that happened, with how long after the one before it. */
export function EntryItem({ entry, event, waited }: { entry: Entry; event: EventDetails; waited: string | null }) {
  return (
    <>
      {waited && (
        <li className={styles.waited}>
          <span>{waited}</span>
        </li>
      )}
      <li className={styles.entry} data-tone={toneOf(entry)}>
        <div className="line">
          {summaryOf(entry, event)}
          <span className={styles.at}>
            <Moment iso={new Date(entry.atMs).toISOString()} />
          </span>
        </div>
        {entry.kind === 'attempt' && <AttemptDetails attempt={entry.attempt} />}
      </li>
    </>
  );
}

function summaryOf(entry: Entry, event: EventDetails): ReactNode {
  switch (entry.kind) {
    case 'received':
      if (event.rejection_reason !== null) return <strong>Received and rejected</strong>;
      return (
        <strong>
          Received, verified and stored
          {event.skipped_reason !== null && '; no consumer matched'}
        </strong>
      );
    case 'backfilled':
      return <strong>Made by a backfill</strong>;
    case 'attempt': {
      const { number, trigger, generation, outcome } = entry.attempt;
      return (
        <>
          <strong>{trigger === 'manual' ? 'Manual attempt' : `Attempt ${number}`}</strong>
          {generation > 0 && <span className="aside">replay {generation}</span>}
          <Badge state={outcome === 'delivered' ? 'delivered' : 'failed'} label={outcome.replaceAll('_', ' ')} />
        </>
      );
    }
    case 'notification': {
      const { name, destination_type, attempts } = entry.notification;
      return (
        <>
          <strong>
            Notified <bdi>{name}</bdi>
          </strong>
          <span className="aside">
            {destination_type.replaceAll('_', ' ')}
            {attempts > 1 && `, after ${counted(attempts, 'try').replace('trys', 'tries')}`}
          </span>
        </>
      );
    }
    case 'operator':
      return (
        <strong>
          <bdi>{entry.entry.actor}</bdi> {operatorText(entry.entry.action)}
        </strong>
      );
  }
}
