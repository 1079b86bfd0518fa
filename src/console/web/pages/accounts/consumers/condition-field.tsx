import { ConditionEditor } from '../../../components/condition-editor/condition-editor-on-demand.ts';
import styles from './consumers.module.css';

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
      <ConditionEditor of="consumer" {...editor} />
      {error !== undefined && (
        <p className={styles.mistake} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
