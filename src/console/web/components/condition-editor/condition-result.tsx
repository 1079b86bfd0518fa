import { ProblemNotice } from '../notice.tsx';
import { counted, numberText } from '../number-text.ts';
import styles from './condition-editor.module.css';
import { MatchingEvents } from './matching-events.tsx';
import type { useConditionPreview } from './use-condition-preview.ts';

type Preview = ReturnType<typeof useConditionPreview>;
type Previewed = NonNullable<Preview['data']>;

/** What the check of a condition found: the mistake in it, or the events that it matches. */
export function ConditionResult({ text, preview }: { text: string; preview: Preview }) {
  const { data, error, isSettled, refetch } = preview;
  if (error && !data) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return (
    <>
      <p
        className={`aside ${styles.result}`}
        data-ok={data?.ok ?? true}
        data-settled={isSettled}
        role="status"
        aria-live="polite"
      >
        {data ? <Sentence text={text} found={data} /> : 'Checking …'}
      </p>
      {data?.ok && data.events.length > 0 && <MatchingEvents events={data.events} matching={data.matching} />}
    </>
  );
}

function Sentence({ text, found }: { text: string; found: Previewed }) {
  if (found.error) {
    const { line, column, message } = found.error;
    return (
      <>
        <strong>Not valid.</strong> Line {line}, column {column}: {message}
      </>
    );
  }
  const isDefault = text.trim() === '';
  const prefix = isDefault ? 'Empty: every event whose attempts have all failed. ' : '';
  if (found.examined === 0) return <>{prefix}Valid. This account has no events to try it on.</>;
  return (
    <>
      {prefix}
      <strong>
        {numberText(found.matching)} of the last {counted(found.examined, 'event')}
      </strong>{' '}
      {found.matching === 1 ? 'matches' : 'match'}, as if all their attempts had failed.
    </>
  );
}
