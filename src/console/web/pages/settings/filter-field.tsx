import { useAddressText } from '../../components/use-address-text.ts';

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
  const { ref, value, onChange } = useAddressText(props.value, props.onChange);
  return (
    <input
      ref={ref}
      type="search"
      aria-label={props.label}
      placeholder={props.placeholder}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
