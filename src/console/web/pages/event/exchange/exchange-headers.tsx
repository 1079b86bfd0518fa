import { CopyButton } from '../../../components/copy-button.tsx';
import type { Attempt } from '../use-event.ts';
import styles from './exchange.module.css';

/** The headers that an attempt has sent and got, as they are kept. */
export function ExchangeHeaders({ attempt }: { attempt: Attempt }) {
  const { request_headers: sent, response_headers: answered } = attempt;
  const missing = whyMissing(attempt);
  return (
    <div className={styles.exchange}>
      {sent && <HeaderLines title="Headers sent" headers={sent} copied="headers sent" />}
      {answered && <HeaderLines title="Headers of the answer" headers={answered} copied="headers of the answer" />}
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
            <b>{name}</b>: {value}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}

/** Why there are no headers; null if there are. */
function whyMissing({ request_headers, connect_ms, outcome, trigger, generation, number }: Attempt): string | null {
  if (request_headers !== null) return null;
  if (connect_ms === null) return 'Nothing was sent: there was no connection.';
  const isFirst = trigger === 'schedule' && generation === 0 && number === 1;
  return isFirst && outcome === 'delivered'
    ? 'The headers of a first attempt that succeeds are not kept.'
    : 'The headers of this attempt were not kept.';
}
