import { type ComponentProps, type FormEvent, type ReactNode, useId, useState } from 'react';
import styles from './field.module.css';

export interface FieldTexts {
  label: string;
  hint?: ReactNode;
  /** What the API says is wrong with the value. */
  error?: string | undefined;
}

interface ValueProps extends FieldTexts {
  value: string;
  onChange(value: string): void;
}

type FormControl = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * The ids and attributes that connect an input with its label, hint and error. What the browser says of its value, such as
 * that it is required, becomes its error: a browser would show the first one of a form only.
 */
export function useFieldIds({ hint, error: fromApi }: Pick<FieldTexts, 'hint' | 'error'>) {
  const id = useId();
  const [fromBrowser, setFromBrowser] = useState<string>();
  const error = fromBrowser ?? fromApi;
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const input = {
    id,
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    'aria-invalid': error === undefined ? undefined : true,
    onInvalid(event: FormEvent<FormControl>) {
      event.preventDefault();
      const { currentTarget: control } = event;
      setFromBrowser(control.validationMessage);
      if (control.form?.querySelector(':is(input, select, textarea):invalid') === control) control.focus();
    },
    onInput: () => setFromBrowser(undefined),
  };
  return { id, input, error };
}

/** Label, hint and error around an input that has the attributes of `useFieldIds`. */
export function FieldFrame({ id, label, hint, error, children }: FieldTexts & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      {error !== undefined && (
        <span id={`${id}-error`} className={styles.error}>
          <span className="visually-hidden">Error: </span>
          {error}
        </span>
      )}
      {hint && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
    </div>
  );
}

type InputProps = FieldTexts &
  Omit<ComponentProps<'input'>, 'onChange'> & {
    onChange?(value: string): void;
    /** Values to choose from; another one can be typed. */
    choices?: readonly string[] | undefined;
  };

/** A labelled input. */
export function Field({ label, hint, error: given, choices, onChange, ...rest }: InputProps) {
  const { id, input, error } = useFieldIds({ hint, error: given });
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <input
        autoComplete="off"
        spellCheck={false}
        list={choices && `${id}-choices`}
        // Without it, a browser takes years of six digits, which are no times for `Date`.
        max={rest.type === 'datetime-local' ? '9999-12-31T23:59:59' : undefined}
        {...rest}
        {...input}
        onChange={onChange && (({ target }) => onChange(target.value))}
      />
      {choices && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </FieldFrame>
  );
}

/** A labelled choice among given values. */
export function Choice(
  props: ValueProps & {
    disabled?: boolean | undefined;
    required?: boolean;
    options: readonly (readonly [value: string, text: string])[];
  },
) {
  const { id, input, error } = useFieldIds(props);
  return (
    <FieldFrame id={id} label={props.label} hint={props.hint} error={error}>
      <select
        {...input}
        disabled={props.disabled}
        required={props.required}
        value={props.value}
        onChange={({ target }) => props.onChange(target.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** A labelled text of several lines. */
export function Area({
  label,
  hint,
  error: given,
  onChange,
  ...rest
}: ValueProps & Pick<ComponentProps<'textarea'>, 'rows' | 'required' | 'placeholder'>) {
  const { id, input, error } = useFieldIds({ hint, error: given });
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <textarea
        {...rest}
        {...input}
        className={styles.area}
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </FieldFrame>
  );
}

/** A box to tick, with its label next to it. */
export function Check(props: { label: string; hint?: ReactNode; checked: boolean; onChange(checked: boolean): void }) {
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
        {props.hint && (
          <p id={`${id}-hint`} className={styles.hint}>
            {props.hint}
          </p>
        )}
      </div>
    </div>
  );
}
