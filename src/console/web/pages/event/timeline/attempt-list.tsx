import type { EventDetails } from '../../../api/types.ts';
import { Clock } from '../../../components/moment.tsx';
import { attemptText } from './attempt-text.ts';
import { type AttemptEntry, foldedEntries } from './folded-entries.ts';
import styles from './timeline.module.css';
import { timelineEntries } from './timeline-entries.ts';

/** The attempts of an event in a few lines, newest first. */
export function AttemptList({ event }: { event: EventDetails }) {
  const attempts = timelineEntries(event).filter((entry) => entry.kind === 'attempt');
  return (
    <ul className="lines" aria-label="Attempts">
      {foldedEntries(attempts.toReversed()).map((folded) => {
        const some = folded.kind === 'fold' ? folded.attempts : folded.entry.kind === 'attempt' ? [folded.entry] : [];
        return (
          <li key={folded.kind === 'fold' ? folded.key : folded.entry.key}>
            <FoldText attempts={some} />
          </li>
        );
      })}
    </ul>
  );
}

/** `9 × 500, 22:24–22:27`, of attempts that had the same result, newest first. */
export function FoldText({ attempts }: { attempts: readonly AttemptEntry[] }) {
  const [newest, oldest] = [attempts[0], attempts.at(-1)];
  if (!newest || !oldest) return null;
  const isFailed = newest.attempt.outcome !== 'delivered';
  return (
    <>
      <strong className={styles.result} data-tone={isFailed ? 'bad' : 'calm'}>
        {attempts.length > 1 && `${attempts.length} × `}
        {attemptText(newest.attempt)}
      </strong>
      ,{' '}
      <span className="aside">
        <Clock iso={oldest.attempt.started_at} />
        {attempts.length > 1 && (
          <>
            –<Clock iso={newest.attempt.started_at} />
          </>
        )}
      </span>
    </>
  );
}
