import { useEffect, useId, useRef, useState } from 'react';
import fields from '../../components/field.module.css';

/**
 * A filter whose value can be chosen or written. It takes effect with Enter, when the user leaves the field, or at once
 * for a value of the list.
 *
 * @param props.counts how often each value of the list occurs.
 */
export function ChosenText(props: {
  label: string;
  value: string | undefined;
  counts?: Record<string, number> | undefined;
  onChange(value: string | undefined): void;
}) {
  const { label, value = '', counts = {}, onChange } = props;
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (document.activeElement !== input.current || value === '') setText(value);
  }, [value]);
  const commit = (written: string) => {
    const trimmed = written.trim();
    if (trimmed !== value) onChange(trimmed === '' ? undefined : trimmed);
  };
  return (
    <div className={fields.field}>
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        list={`${id}-values`}
        placeholder="Any"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (target.value === '' || Object.hasOwn(counts, target.value)) commit(target.value);
        }}
        onBlur={() => commit(text)}
        onKeyDown={({ key }) => key === 'Enter' && commit(text)}
      />
      <datalist id={`${id}-values`}>
        {Object.keys(counts).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
