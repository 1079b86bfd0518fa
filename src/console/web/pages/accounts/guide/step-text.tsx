import { CopyButton } from '../../../components/copy-button.tsx';
import styles from './guide.module.css';

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

/** A text that the user pastes elsewhere. */
export function ToCopy({ text, label }: { text: string; label?: string }) {
  return (
    <span className={styles.toCopy}>
      {label !== undefined && <span className={styles.toCopyLabel}>{label}</span>}
      <code>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}
