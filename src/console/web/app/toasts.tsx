import { useEffect, useState } from 'react';
import { onAnnounce, type Tone } from '../components/announce.ts';
import styles from './toasts.module.css';

/** Long enough to read a sentence. */
const shownMs = 6_000;

/** Shows messages for a moment, and has screen readers announce them. */
export function Toasts() {
  const [shown, setShown] = useState<{ message: string; tone: Tone; n: number } | null>(null);
  useEffect(
    () => onAnnounce((message, tone) => setShown((before) => ({ message, tone, n: (before?.n ?? 0) + 1 }))),
    [],
  );
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => setShown(null), shownMs);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div className={styles.place} role="status" aria-live="polite">
      {shown && (
        <div key={shown.n} className={`${styles.toast} ${styles[shown.tone]}`}>
          {shown.message}
        </div>
      )}
    </div>
  );
}
