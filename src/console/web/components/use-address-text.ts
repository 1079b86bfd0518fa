import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * The text of a field whose `value` stands in the address. The address follows the field with a delay, so it leads only while
 * the focus is elsewhere: otherwise the cursor would jump to the end after each letter.
 */
export function useAddressText(
  value: string,
  onChange: (text: string) => void,
): { ref: RefObject<HTMLInputElement | null>; value: string; onChange(text: string): void } {
  const [text, setText] = useState(value);
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (document.activeElement !== ref.current) setText(value);
  }, [value]);
  return {
    ...{ ref, value: text },
    onChange(written) {
      setText(written);
      onChange(written);
    },
  };
}
