import { CopyButton } from '../../../components/copy-button.tsx';
import { durationText } from '../../../components/time-text.ts';
import type { Attempt } from '../use-event.ts';
import { attemptParts } from './attempt-parts.ts';
import styles from './timeline.module.css';

/** How an attempt went: its parts to scale, and the answer of the consumer. */
export function AttemptDetails({ attempt }: { attempt: Attempt }) {
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
        <details>
          <summary>Request and answer</summary>
          {url !== null && (
            <p>
              POST{' '}
              <code>
                <bdi>{url}</bdi>
              </code>
            </p>
          )}
          {response_body !== null && response_body !== '' ? (
            <>
              <pre className="answer" dir="ltr">
                {visible(response_body)}
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

/** Marks that change the direction of the text around them, written out. */
const visible = (text: string) =>
  text.replaceAll(
    /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
