import type { EventDetails } from '../../../api/types.ts';
import { Moment } from '../../../components/moment.tsx';
import { durationText } from '../../../components/time-text.ts';
import styles from './timeline.module.css';

const waits = {
  paused: 'Waits until deliveries are resumed',
  account_disabled: 'Waits until the account is enabled',
  consumer_disabled: 'Waits until the consumer is enabled',
};

/** The next attempt with a countdown, or what it waits for, as long as the event is pending. */
export function NextAttempt({ event, nowMs }: { event: EventDetails; nowMs: number }) {
  const { next_attempt_at: at, waits_for: waitsFor } = event;
  const leftMs = at === null ? null : Date.parse(at) - nowMs;
  return (
    <li className={styles.entry} data-tone="open">
      <div className="line">
        <strong>{waitsFor === null ? nextText(leftMs) : waits[waitsFor]}</strong>
        {at !== null && (
          <span className={styles.at}>
            <Moment iso={at} />
          </span>
        )}
      </div>
    </li>
  );
}

const nextText = (leftMs: number | null) =>
  leftMs === null || leftMs <= 0
    ? 'The next attempt is being made'
    : `Next attempt in ${durationText(Math.ceil(leftMs / 1000) * 1000)}`;
