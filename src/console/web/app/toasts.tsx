import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { onAnnounce, type Tone } from '../components/announce.ts';
import { Button } from '../components/button.tsx';
import { useKeys } from '../components/use-keys.ts';
import styles from './toasts.module.css';

/** Long enough to read a sentence. What went wrong is read twice. */
const shownMs: Record<Tone, number> = { calm: 6_000, good: 6_000, bad: 15_000 };

/** Shows messages for a moment, and has screen readers announce them. Escape and a button take them away. */
export function Toasts() {
  const [shown, setShown] = useState<{ message: string; tone: Tone; n: number } | null>(null);
  useEffect(
    () => onAnnounce((message, tone) => setShown((before) => ({ message, tone, n: (before?.n ?? 0) + 1 }))),
    [],
  );
  const close = () => setShown(null);
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => setShown(null), shownMs[shown.tone]);
    return () => clearTimeout(timer);
  }, [shown]);
  useKeys(({ key }) => key === 'Escape' && close(), { isOn: shown !== null });
  return (
    <div className={styles.place}>
      <div role="status" aria-live="polite" className={styles.said}>
        {shown && (
          <div key={shown.n} className={styles.toast} data-tone={shown.tone}>
            {shown.message}
          </div>
        )}
      </div>
      {shown && (
        <Button tone="quiet" aria-label="Close the message" onClick={close}>
          <X />
        </Button>
      )}
    </div>
  );
}
