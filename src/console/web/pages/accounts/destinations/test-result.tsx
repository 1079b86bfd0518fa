import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { durationText } from '../../../components/time-text.ts';
import styles from './destinations.module.css';
import type { TestResult as Result } from './use-test-message.ts';

/** What the service answered to a test message. */
export function TestResult({ result, onClose }: { result: Result; onClose(): void }) {
  const body = result.response_body;
  // The reason of a refusal often quotes the whole answer.
  const isShown = body && (result.ok || !result.reason.includes(body.trim()));
  return (
    <div className="lines">
      <Notice tone={result.ok ? 'good' : 'bad'}>
        <span className={styles.sentence}>
          <strong>{result.ok ? 'The test message was accepted.' : 'The test message was not accepted.'}</strong>{' '}
          {result.ok ? <Accepted {...result} /> : <bdi>{result.reason}</bdi>}
        </span>
        <Button tone="quiet" onClick={onClose}>
          Close
        </Button>
      </Notice>
      {isShown && <pre className="answer">{body}</pre>}
    </div>
  );
}

function Accepted(answer: Extract<Result, { ok: true }>) {
  if (answer.outbox_file !== null)
    return (
      <>
        It was written to <code>{answer.outbox_file}</code>, because <code>SENDGRID_API_KEY</code> is not set.
      </>
    );
  return (
    <>
      The service answered {answer.response_code} after {durationText(answer.duration_ms)}.
    </>
  );
}
