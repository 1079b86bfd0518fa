import field from '../../../components/field.module.css';
import styles from './fields.module.css';
import type { FieldTexts } from './text-field.tsx';
import { useFieldIds } from './text-field.tsx';

/** A box to tick, with its label next to it. */
export function CheckField(props: FieldTexts & { checked: boolean; onChange(checked: boolean): void }) {
  const { id, input } = useFieldIds(props);
  return (
    <div className={styles.check}>
      <input
        type="checkbox"
        {...input}
        checked={props.checked}
        onChange={({ target }) => props.onChange(target.checked)}
      />
      <div>
        <label htmlFor={id}>{props.label}</label>
        {props.error !== undefined && (
          <p id={`${id}-error`} className={styles.error}>
            {props.error}
          </p>
        )}
        {props.hint && (
          <p id={`${id}-hint`} className={field.hint}>
            {props.hint}
          </p>
        )}
      </div>
    </div>
  );
}
