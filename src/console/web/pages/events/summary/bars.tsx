import { type KeyboardEvent, useRef, useState } from 'react';
import { counted, numberText } from '../../../components/number-text.ts';
import { clockText } from '../../../components/time-text.ts';
import styles from './summary.module.css';

interface Bar {
  at: string;
  events: number;
  failed: number;
}

/** When events were received: a bar for each step of time, with the failed ones red at its foot. Arrow keys go from bar to bar. */
export function Bars(props: { bars: readonly Bar[]; stepMs: number; onChoose(fromMs: number, toMs: number): void }) {
  const { bars, stepMs, onChoose } = props;
  const box = useRef<HTMLFieldSetElement>(null);
  const [stop, setStop] = useState(Number.POSITIVE_INFINITY);
  const current = Math.min(stop, bars.length - 1);
  const most = Math.max(1, ...bars.map(({ events }) => events));
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const target = Math.max(0, Math.min(bars.length - 1, current + by));
    setStop(target);
    box.current?.querySelectorAll('button')[target]?.focus();
  };
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <div className={styles.plot}>
      <fieldset ref={box} className={styles.bars} onKeyDown={move}>
        <legend className="visually-hidden">When they were received: choose a time</legend>
        {bars.map((bar, n) => {
          const fromMs = Date.parse(bar.at);
          const text = textOf(bar, stepMs);
          return (
            <button
              key={bar.at}
              type="button"
              tabIndex={n === current ? 0 : -1}
              aria-label={text}
              title={text}
              onFocus={() => setStop(n)}
              onClick={() => onChoose(fromMs, fromMs + stepMs)}
            >
              <span data-part="other" style={{ height: `${heightOf(bar.events - bar.failed, most)}%` }} />
              <span data-part="failed" style={{ height: `${heightOf(bar.failed, most)}%` }} />
            </button>
          );
        })}
      </fieldset>
      {first && last && (
        <p className={styles.ends} aria-hidden="true">
          <span>{clock(Date.parse(first.at), stepMs)}</span>
          <span>{clock(Date.parse(last.at) + stepMs, stepMs)}</span>
        </p>
      )}
    </div>
  );
}

/** In percent. One event among thousands is still seen. */
const heightOf = (events: number, most: number) => (events === 0 ? 0 : Math.max(6, (94 * events) / most));

/** With seconds where a bar is shorter than a minute: its two ends would read the same. */
const clock = (atMs: number, stepMs: number) =>
  clockText(new Date(atMs).toISOString(), Date.now(), { seconds: stepMs < 60_000 });

function textOf({ at, events, failed }: Bar, stepMs: number): string {
  const fromMs = Date.parse(at);
  const span = `${clock(fromMs, stepMs)} – ${clock(fromMs + stepMs, stepMs)}`;
  return `${span}: ${counted(events, 'event')}, ${numberText(failed)} failed`;
}
