import { useEffect, useRef, useState } from 'react';
import type { Forget, LiveEvents } from './use-live-events.ts';

/** At most so often, however many events come in. */
const everyMs = 3_000;

/**
 * Loads a list again when it lacks events or changes: too many came at once, or the stream was away. While the list is held still it waits, because the rows
 * in sight would go.
 *
 * @returns whether the list lacks events at the moment.
 */
export function useGapReload(options: {
  live: LiveEvents;
  forget: Forget;
  isHeld: boolean;
  /** Rejects when the list could not be loaded. */
  reload(): Promise<void>;
}): boolean {
  const [mended, setMended] = useState(0);
  const [isReloading, setReloading] = useState(false);
  const reloadedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const latest = useRef(options);
  latest.current = options;
  const { gaps } = options.live;
  const isDue = gaps > mended && !options.isHeld;
  // A list that goes live again counts from the beginning.
  useEffect(() => {
    if (gaps < mended) setMended(gaps);
  }, [gaps, mended]);
  useEffect(() => {
    if (!isDue) return;
    const waitMs = Math.max(0, reloadedAtMs.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      reloadedAtMs.current = performance.now();
      const { live, forget, reload } = latest.current;
      setMended(live.gaps);
      setReloading(true);
      reload()
        .then(
          () => forget(live),
          // Tried again after the wait.
          () => setMended((now) => Math.min(now, mended)),
        )
        .finally(() => setReloading(false));
    }, waitMs);
    return () => clearTimeout(timer);
  }, [isDue, mended]);
  return gaps > mended || isReloading;
}
