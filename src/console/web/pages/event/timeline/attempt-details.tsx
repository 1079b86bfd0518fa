import { useEffect, useRef } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { durationText } from '../../../components/time-text.ts';
import { ExchangeHeaders } from '../exchange/exchange-headers.tsx';
import type { Attempt } from '../use-event.ts';
import { attemptParts } from './attempt-parts.ts';
import styles from './timeline.module.css';
import { visibleText } from './visible-text.ts';

/** How an attempt went: its parts to scale, and the answer of the consumer, which is open if the address leads to it. */
export function AttemptDetails({ attempt, isLinked }: { attempt: Attempt; isLinked: boolean }) {
  const answer = useLinked(isLinked);
  const { response_code, response_body, error, url, duration_ms } = attempt;
  const parts = attemptParts(attempt);
  const totalMs = parts.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <div className={styles.attempt}>
      {totalMs > 0 && (
        <div className={styles.parts} aria-hidden="true">
          {parts.map(({ name, ms }) => (
            <span key={name} data-part={name} style={{ flexGrow: ms / totalMs }} />
          ))}
        </div>
      )}
      <p className="aside">
        {response_code !== null && <>HTTP {response_code} · </>}
        {parts.map(({ label, ms }) => `${label} ${durationText(ms)}`).join(' · ')}
        {parts.length > 1 && ` · ${durationText(duration_ms)} in all`}
      </p>
      {error !== null && (
        <p className={styles.error}>
          <bdi>{error}</bdi>
        </p>
      )}
      {(response_body !== null || url !== null) && (
        <details ref={answer} id={isLinked ? 'answer' : undefined}>
          <summary>Request and answer</summary>
          {url !== null && (
            <p>
              POST{' '}
              <code>
                <bdi>{url}</bdi>
              </code>
            </p>
          )}
          <ExchangeHeaders attempt={attempt} />
          {response_body !== null && response_body !== '' ? (
            <>
              <pre className="answer" dir="ltr">
                {visibleText(response_body)}
              </pre>
              <CopyButton text={response_body} label="Copy answer" />
            </>
          ) : (
            <p className="aside">No body in the answer.</p>
          )}
        </details>
      )}
    </div>
  );
}

/** Opens an element and brings the reader there, once. */
function useLinked(isLinked: boolean) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isLinked || !element.current) return;
    element.current.open = true;
    // After the heading of the page, which takes the focus when the page opens.
    const timer = setTimeout(() => {
      element.current?.scrollIntoView({ block: 'center' });
      element.current?.querySelector('summary')?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, [isLinked]);
  return element;
}
