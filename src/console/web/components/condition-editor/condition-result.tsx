import { ProblemNotice } from '../notice.tsx';
import { counted, numberText } from '../number-text.ts';
import styles from './condition-editor.module.css';
import { MatchingEvents } from './matching-events.tsx';
import type { Owner, useConditionPreview } from './use-condition-preview.ts';

type Preview = ReturnType<typeof useConditionPreview>;
type Previewed = NonNullable<Preview['data']>;

/** What a condition is tried on, and what it stands for when it is empty. */
const texts: Record<Owner, { noun: string; empty: string; supposed: string }> = {
  destination: {
    noun: 'event',
    empty: 'every event whose attempts have all failed',
    supposed: ', as if all their attempts had failed',
  },
  consumer: { noun: 'webhook', empty: 'every webhook', supposed: '' },
};

/** What the check of a condition found: the mistake in it, or the events that it matches. */
export function ConditionResult({ text, of, preview }: { text: string; of: Owner; preview: Preview }) {
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
        {data ? <Sentence text={text} of={of} found={data} /> : 'Checking …'}
      </p>
      {data?.ok && data.events.length > 0 && (
        <MatchingEvents title={titleOf(data, texts[of].noun)} events={data.events} />
      )}
    </>
  );
}

const titleOf = ({ events, matching }: Previewed, noun: string) =>
  events.length < matching ? `Show the newest ${events.length}` : `Show ${counted(matching, noun)}`;

function Sentence({ text, of, found }: { text: string; of: Owner; found: Previewed }) {
  if (found.error) {
    const { line, column, message } = found.error;
    return (
      <>
        <strong>Not valid.</strong> Line {line}, column {column}: {message}
      </>
    );
  }
  const { noun, empty, supposed } = texts[of];
  const prefix = text.trim() === '' ? `Empty: ${empty}. ` : '';
  if (found.examined === 0)
    return (
      <>
        {prefix}Valid. This account has no {noun}s to try it on.
      </>
    );
  return (
    <>
      {prefix}
      <strong>
        {numberText(found.matching)} of the last {counted(found.examined, noun)}
      </strong>{' '}
      {found.matching === 1 ? 'matches' : 'match'}
      {supposed}.
    </>
  );
}
