import { Fragment } from 'react';

/** A text of the API in which backticks mark code. */
export function MarkedText({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // The parts have no identity other than their place.
    // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes its parts
    index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
  );
}
