import { Notice, ProblemNotice } from '../../../components/notice.tsx';
import { durationText } from '../../../components/time-text.ts';
import type { TestResult } from './use-test-delivery.ts';

/** What a test delivery showed. */
export function TestOutcome({ result, error }: { result: TestResult | undefined; error: unknown }) {
  if (error) return <ProblemNotice error={error} />;
  if (!result) return null;
  const { ok, url, responseCode, responseBody, durationMs, detail } = result;
  return (
    <div className="stack">
      <Notice tone={ok ? 'good' : 'bad'}>
        {ok ? (
          <span>
            <bdi>{url}</bdi> accepted it with {responseCode}
            {durationMs !== null && ` after ${durationText(durationMs)}`}.
          </span>
        ) : (
          <span>
            <strong>Not accepted.</strong> <bdi>{detail}</bdi>
          </span>
        )}
      </Notice>
      {responseBody && (
        <details>
          <summary>Answer of the consumer</summary>
          <pre className="answer">{responseBody}</pre>
        </details>
      )}
    </div>
  );
}
