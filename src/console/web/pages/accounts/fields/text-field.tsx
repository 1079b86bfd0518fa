import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import field from '../../../components/field.module.css';
import styles from './fields.module.css';

export interface FieldTexts {
  label: string;
  hint?: ReactNode;
  /** What the API says is wrong with the value. */
  error?: string | undefined;
}

/** The ids and attributes that connect an input with its label, hint and error. */
export function useFieldIds({ hint, error }: Pick<FieldTexts, 'hint' | 'error'>) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const input = {
    id,
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    'aria-invalid': error === undefined ? undefined : true,
  };
  return { id, input };
}

/** Label, hint and error around an input that has the attributes of `useFieldIds`. */
export function FieldFrame({ id, label, hint, error, children }: FieldTexts & { id: string; children: ReactNode }) {
  return (
    <div className={`${field.field} ${styles.field}`}>
      <label htmlFor={id}>{label}</label>
      {children}
      {error !== undefined && (
        <span id={`${id}-error`} className={styles.error}>
          <span className="visually-hidden">Error: </span>
          {error}
        </span>
      )}
      {hint && (
        <span id={`${id}-hint`} className={field.hint}>
          {hint}
        </span>
      )}
    </div>
  );
}

/** A labelled input that shows what the API says is wrong with its value. */
export function TextField({
  label,
  hint,
  error,
  value,
  onChange,
  ...rest
}: FieldTexts & { value: string; onChange(value: string): void } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'value' | 'onChange'
  >) {
  const { id, input } = useFieldIds({ hint, error });
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        {...input}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </FieldFrame>
  );
}

/** A labelled choice among given values. */
export function SelectField(
  props: FieldTexts & { value: string; onChange(value: string): void; options: readonly (readonly [string, string])[] },
) {
  const { id, input } = useFieldIds(props);
  return (
    <FieldFrame id={id} label={props.label} hint={props.hint} error={props.error}>
      <select {...input} value={props.value} onChange={({ target }) => props.onChange(target.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** A text of several lines. */
export function AreaField(props: FieldTexts & { value: string; onChange(value: string): void }) {
  const { id, input } = useFieldIds(props);
  return (
    <FieldFrame id={id} label={props.label} hint={props.hint} error={props.error}>
      <textarea
        {...input}
        className={styles.area}
        rows={4}
        spellCheck={false}
        value={props.value}
        onChange={({ target }) => props.onChange(target.value)}
      />
    </FieldFrame>
  );
}
