import { Moment } from '../../../components/moment.tsx';
import { durationText } from '../../../components/time-text.ts';
import styles from './timeline.module.css';

/** The next attempt with a countdown, as long as the event is pending. */
export function NextAttempt({ at, nowMs }: { at: string | null; nowMs: number }) {
  const leftMs = at === null ? null : Date.parse(at) - nowMs;
  return (
    <li className={styles.entry} data-tone="open">
      <div className="line">
        <strong>
          {leftMs === null || leftMs <= 0
            ? 'The next attempt is being made'
            : `Next attempt in ${durationText(Math.ceil(leftMs / 1000) * 1000)}`}
        </strong>
        {at !== null && (
          <span className={styles.at}>
            <Moment iso={at} />
          </span>
        )}
      </div>
    </li>
  );
}
