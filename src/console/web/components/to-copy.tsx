import { CopyButton } from './copy-button.tsx';
import styles from './to-copy.module.css';

/** A text that the user pastes elsewhere. */
export function ToCopy({ text, label }: { text: string; label?: string }) {
  return (
    <span className={styles.toCopy}>
      {label !== undefined && <span className={styles.label}>{label}</span>}
      <code>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}
