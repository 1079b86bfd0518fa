import { CopyButton } from '../../../components/copy-button.tsx';
import { visibleText } from '../timeline/visible-text.ts';
import type { Attempt } from '../use-event.ts';
import styles from './exchange.module.css';

/** The headers of request and answer of an attempt, or why there are none. */
export function ExchangeHeaders({ attempt }: { attempt: Attempt }) {
  const { request_headers: sent, response_headers: answered } = attempt;
  const missing = whyMissing(attempt);
  return (
    <div className={styles.exchange}>
      {sent && <HeaderLines title="Headers sent" headers={sent} copied={`headers sent by attempt ${attempt.number}`} />}
      {answered && (
        <HeaderLines
          title="Headers of the answer"
          headers={answered}
          copied={`headers of the answer to attempt ${attempt.number}`}
        />
      )}
      {missing !== null && <p className="aside">{missing}</p>}
    </div>
  );
}

function HeaderLines({ title, headers, copied }: { title: string; headers: [string, string][]; copied: string }) {
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <figure aria-label={title}>
      <figcaption className="spread">
        <span className="aside">{title}</span>
        <CopyButton text={text} name={copied} />
      </figcaption>
      <pre className={styles.headers} dir="ltr">
        {headers.map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name may come twice, and the list never changes
          <span key={index}>
            <b>{name}</b>: {visibleText(value)}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}

/** Why there are no headers; null if there are. */
function whyMissing(attempt: Attempt): string | null {
  const { request_headers, response_code, connect_ms, outcome, trigger, generation, number } = attempt;
  if (request_headers !== null) return null;
  if (connect_ms === null && response_code === null) return 'The request was not sent.';
  const isFirst = trigger === 'schedule' && generation === 0 && number === 1;
  return isFirst && outcome === 'delivered'
    ? 'The headers of a first attempt that succeeds are not stored.'
    : 'The headers of this attempt were not stored.';
}
