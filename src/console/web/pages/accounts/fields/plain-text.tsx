/** A text of the API, in which backticks enclose code. */
export function PlainText({ text }: { text: string }) {
  // Every second part was between two backticks.
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
  return text.split('`').map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : <span key={n}>{part}</span>));
}
