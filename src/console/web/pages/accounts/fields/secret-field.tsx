import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FieldFrame, type FieldTexts, useFieldIds } from '../../../components/field.tsx';
import styles from './fields.module.css';

/**
 * An input for a secret. A typed or pasted secret is hidden until the user shows it. A generated one is shown, with a
 * button that copies it, because the user must paste it elsewhere.
 */
export function SecretField(
  props: FieldTexts & {
    value: string;
    onChange(value: string): void;
    /** Makes a secret, for secrets that the user chooses. */
    generate?: (() => string) | undefined;
    placeholder?: string;
    required?: boolean;
  },
) {
  const { id, input, error } = useFieldIds(props);
  // A value that is present at the start was generated.
  const [shown, setShown] = useState(props.value !== '');
  const { generate } = props;
  return (
    <FieldFrame id={id} label={props.label} hint={props.hint} error={error}>
      <div className={styles.secret}>
        <input
          {...input}
          className={styles.mono}
          type={shown ? 'text' : 'password'}
          // Password managers would offer the password of the console.
          autoComplete="off"
          data-1p-ignore=""
          spellCheck={false}
          required={props.required}
          placeholder={props.placeholder}
          value={props.value}
          onChange={({ target }) => props.onChange(target.value)}
        />
        {(props.value !== '' || generate) && (
          <div className={styles.secretActions}>
            {props.value !== '' && (
              <Button tone="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
                {shown ? 'Hide' : 'Show'}
              </Button>
            )}
            {props.value !== '' && shown && <CopyButton text={props.value} />}
            {generate && (
              <Button
                onClick={() => {
                  props.onChange(generate());
                  setShown(true);
                }}
              >
                Generate
              </Button>
            )}
          </div>
        )}
      </div>
    </FieldFrame>
  );
}
