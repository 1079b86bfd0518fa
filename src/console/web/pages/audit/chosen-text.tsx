import { useEffect, useRef, useState } from 'react';
import { Field } from '../../components/field.tsx';

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
  useEffect(() => {
    if (document.activeElement !== input.current || value === '') setText(value);
  }, [value]);
  const commit = (written: string) => {
    const trimmed = written.trim();
    if (trimmed !== value) onChange(trimmed === '' ? undefined : trimmed);
  };
  return (
    <Field
      ref={input}
      label={label}
      choices={Object.keys(counts)}
      placeholder="Any"
      value={text}
      onChange={(written) => {
        setText(written);
        if (written === '' || Object.hasOwn(counts, written)) commit(written);
      }}
      onBlur={() => commit(text)}
      onKeyDown={({ key }) => key === 'Enter' && commit(text)}
    />
  );
}
