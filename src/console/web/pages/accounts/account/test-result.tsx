import { Notice, ProblemNotice } from '../../../components/notice.tsx';
import { durationText } from '../../../components/time-text.ts';
import type { TestResult } from './use-test-delivery.ts';

/** What failed, by the steps of a delivery in the API. */
const failedAt: Readonly<Record<string, string>> = {
  settings: 'Not sent.',
  name: 'The name could not be resolved.',
  address: 'The address is refused.',
  proxy: 'The proxy failed.',
  connection: 'No connection.',
  tls: 'TLS failed.',
  token: 'No access token.',
  answer: 'No answer.',
  status: 'Not accepted.',
};

/** What a test delivery showed. */
export function TestOutcome({ result, error }: { result: TestResult | undefined; error: unknown }) {
  if (error) return <ProblemNotice error={error} />;
  if (!result) return null;
  return (
    <div className="stack">
      <Notice tone={result.ok ? 'good' : 'bad'}>
        {result.ok ? (
          <span>
            <bdi>{result.url}</bdi> accepted it with {result.response_code} after {durationText(result.duration_ms)}.
          </span>
        ) : (
          <span>
            <strong>{failedAt[result.step ?? 'status'] ?? failedAt.status}</strong> <bdi>{result.reason}</bdi>
          </span>
        )}
      </Notice>
      {result.response_body && (
        <details>
          <summary>Answer of the consumer</summary>
          <pre className="answer">{result.response_body}</pre>
        </details>
      )}
    </div>
  );
}
