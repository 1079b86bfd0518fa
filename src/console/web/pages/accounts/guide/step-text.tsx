import { ToCopy } from '../../../components/to-copy.tsx';

/** `**places to click**`, `code` in backticks, and `{address}`. */
const marks = /(\*\*[^*]+\*\*|`[^`]+`|\{address\})/;

/** A step of `provider-steps.ts` with its marks as elements. The address stands on a line of its own, to be copied. */
export function StepText({ text, address = '' }: { text: string; address?: string }) {
  return text.split(marks).map((part, n) => {
    const key = `${n} ${part}`;
    if (part === '{address}') return <ToCopy key={key} text={address} />;
    if (part.startsWith('**')) return <strong key={key}>{part.slice(2, -2)}</strong>;
    if (part.startsWith('`')) return <code key={key}>{part.slice(1, -1)}</code>;
    return part;
  });
}
