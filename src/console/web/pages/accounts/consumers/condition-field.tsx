import { lazy, Suspense } from 'react';
import styles from './consumers.module.css';

/** The editor is larger than the rest of the page, so it loads with the first form. */
const ConditionEditor = lazy(async () => {
  const { ConditionEditor } = await import('../../../components/condition-editor/condition-editor.tsx');
  return { default: ConditionEditor };
});

/** The condition of a consumer, with which webhooks of the past it matches, and what the API says is wrong with it. */
export function ConditionField(props: {
  accountId: string;
  label: string;
  initial: string;
  error: string | undefined;
  onChange(condition: string): void;
}) {
  const { error, ...editor } = props;
  return (
    <div className="lines">
      <Suspense fallback={<p>Loading the editor …</p>}>
        <ConditionEditor of="consumer" {...editor} />
      </Suspense>
      {error !== undefined && (
        <p className={styles.mistake} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
