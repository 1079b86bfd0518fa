import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { EventDetails } from '../../../api/types.ts';
import { Badge } from '../../../components/badge.tsx';
import { Moment } from '../../../components/moment.tsx';
import { counted } from '../../../components/number-text.ts';
import { AttemptDetails } from './attempt-details.tsx';
import { operatorText, pausedText } from './operator-text.ts';
import styles from './timeline.module.css';
import { type Entry, toneOf } from './timeline-entries.ts';

/** One thing that happened, and below it how long after the one before it. */
export function EntryItem(props: {
  entry: Entry;
  event: EventDetails;
  waited: string | null;
  /** Whether the address leads to its answer. */
  isLinked: boolean;
}) {
  const { entry, event, waited, isLinked } = props;
  return (
    <>
      <li className={styles.entry} data-tone={toneOf(entry)}>
        <div className="line">
          {summaryOf(entry, event)}
          <span className={styles.at}>
            <Moment iso={new Date(entry.atMs).toISOString()} />
          </span>
        </div>
        {entry.kind === 'operator' && <Reason text={entry.action.reason} />}
        {entry.kind === 'paused' && <Reason text={entry.pause.reason} />}
        {entry.kind === 'attempt' && <AttemptDetails attempt={entry.attempt} isLinked={isLinked} />}
      </li>
      {waited && (
        <li className={styles.waited}>
          <span>{waited}</span>
        </li>
      )}
    </>
  );
}

/** What an operator wrote. */
function Reason({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p className={styles.reason}>
      <bdi>{text}</bdi>
    </p>
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
        <>
          <strong>
            <bdi>{entry.action.actor}</bdi> {operatorText(entry.action)}
          </strong>
          {entry.action.job_id !== null && (
            <Link to="/jobs/$jobId" params={{ jobId: entry.action.job_id }}>
              The bulk job
            </Link>
          )}
        </>
      );
    case 'paused':
      return (
        <>
          <strong>
            {entry.pause.paused_by === null ? (
              `A pause of ${pausedText(entry.pause)} began`
            ) : (
              <>
                <bdi>{entry.pause.paused_by}</bdi> paused {pausedText(entry.pause)}
              </>
            )}
          </strong>
          {entry.atMs > Date.parse(entry.pause.since) && (
            <span className="aside">
              since <Moment iso={entry.pause.since} />
            </span>
          )}
        </>
      );
    case 'resumed':
      return (
        <strong>
          <bdi>{entry.pause.resumed_by}</bdi> resumed {pausedText(entry.pause)}
        </strong>
      );
  }
}
