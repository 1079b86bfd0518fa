import { localTime } from '../../../components/time-text.ts';
import styles from './timeline.module.css';
import { type Entry, toneOf } from './timeline-entries.ts';

/** An attempt of milliseconds among waits of hours is still drawn this wide, in percent of the whole. */
const leastWidth = 0.5;

/**
 * The time from receipt to end, to scale: attempts as bars, the rest as waits, and the next attempt as a mark. The list
 * below says the same in words, so screen readers skip it.
 */
export function ScaleBar({
  entries,
  endMs,
  nextMs,
}: {
  entries: readonly Entry[];
  endMs: number;
  nextMs: number | null;
}) {
  const startMs = entries[0]?.atMs ?? 0;
  const lastMs = Math.max(endMs, nextMs ?? 0);
  const spanMs = Math.max(1, lastMs - startMs);
  const percent = (ms: number) => ((ms - startMs) / spanMs) * 100;
  return (
    <div className={styles.scale} aria-hidden="true">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" className={styles.bar}>
        <title>The time from receipt to end</title>
        <rect className={styles.wait} x="0" y="4" width={percent(endMs)} height="2" />
        {nextMs !== null && nextMs > endMs && (
          <rect className={styles.ahead} x={percent(endMs)} y="4" width={percent(nextMs) - percent(endMs)} height="2" />
        )}
        {entries.map((entry) => (
          <Mark key={entry.key} entry={entry} percent={percent} />
        ))}
        {nextMs !== null && (
          <rect className={styles.next} x={Math.min(99.5, percent(nextMs))} y="0" width="0.5" height="10" />
        )}
      </svg>
      <div className={styles.ends}>
        <span>{localTime(new Date(startMs).toISOString())}</span>
        <span>{localTime(new Date(lastMs).toISOString())}</span>
      </div>
    </div>
  );
}

function Mark({ entry, percent }: { entry: Entry; percent: (ms: number) => number }) {
  const isAttempt = entry.kind === 'attempt';
  const width = isAttempt ? Math.max(leastWidth, percent(entry.endMs) - percent(entry.atMs)) : leastWidth;
  return (
    <rect
      data-tone={isAttempt ? toneOf(entry) : 'calm'}
      x={Math.min(100 - width, percent(entry.atMs))}
      y={isAttempt ? 0 : 2}
      width={width}
      height={isAttempt ? 10 : 6}
    />
  );
}
