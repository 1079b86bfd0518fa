import { useEffect, useId, useRef, useState } from 'react';
import fields from '../../components/field.module.css';

/** A search field for a list that is filtered while the user writes. `value` stands in the address. */
export function FilterField(props: {
  label: string;
  placeholder: string;
  value: string;
  onChange(value: string): void;
}) {
  const { label, placeholder, value, onChange } = props;
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    // The address follows the field with a delay, so it leads only when it was changed elsewhere.
    if (document.activeElement !== input.current) setText(value);
  }, [value]);
  return (
    <div className={fields.field}>
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="search"
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onChange(target.value);
        }}
      />
    </div>
  );
}
