import type { EventDetails } from '../../../api/types.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Moment } from '../../../components/moment.tsx';
import { durationText } from '../../../components/time-text.ts';
import { ExchangeHeaders } from '../exchange/exchange-headers.tsx';
import { attemptText } from '../timeline/attempt-text.ts';
import { visibleText } from '../timeline/visible-text.ts';
import styles from './answer.module.css';

/** States in which the error of the last attempt needs no action. */
const mayBeOver: readonly EventDetails['state'][] = ['waiting', 'retrying', 'acknowledged'];

/** What the consumer answered last, and what follows from it. */
export function LastAnswer({ event }: { event: EventDetails }) {
  const { state, last_error: error } = event;
  const attempt = event.delivery_history.at(-1);
  const tone = state === 'delivered' || error === null ? 'calm' : mayBeOver.includes(state) ? 'open' : 'bad';
  return (
    <div className={styles.answer} data-tone={tone}>
      {attempt && (
        <p className="line">
          <strong className={styles.code}>{attemptText(attempt)}</strong>
          <span className="aside">
            <Moment iso={attempt.started_at} ago /> · in {durationText(attempt.duration_ms)}
          </span>
        </p>
      )}
      {error !== null && state !== 'delivered' && (
        <p className={styles.error}>
          <strong>Last error:</strong> <bdi>{error}</bdi>
        </p>
      )}
      {attempt?.response_body ? (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
          <section className={styles.body} aria-label="Body of the last answer" tabIndex={0}>
            <pre className="answer" dir="ltr">
              {visibleText(attempt.response_body)}
            </pre>
          </section>
          <p>
            <CopyButton text={attempt.response_body} label="Copy answer" />
          </p>
        </>
      ) : (
        <p className="aside">{attempt ? 'No body in the answer.' : 'No attempt was made yet.'}</p>
      )}
      {attempt && attempt.url !== null && (
        <details>
          <summary>Headers of request and answer</summary>
          <ExchangeHeaders attempt={attempt} />
        </details>
      )}
    </div>
  );
}
