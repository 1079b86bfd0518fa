import { useEffect, useRef, useState } from 'react';

/** Whether a text contains all words of a search. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

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
  useEffect(() => {
    // The address follows the field with a delay, so it leads only when it was changed elsewhere.
    if (document.activeElement !== input.current) setText(value);
  }, [value]);
  return (
    <input
      ref={input}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onChange(target.value);
      }}
    />
  );
}
