import 'uplot/dist/uPlot.min.css';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { numberText } from '../number-text.ts';
import { durationText, localTime } from '../time-text.ts';
import styles from './chart.module.css';
import { readColours, useSchemeChanges } from './chart-colours.ts';
import { type ChartSeries, type ChartUnit, chartOptions } from './chart-options.ts';

export interface TimeChartProps {
  label: string;
  /** In seconds since 1970, ascending. */
  times: number[];
  series: ChartSeries[];
  unit: ChartUnit;
  height?: number;
  /** Called with the times (ms) of a span that the user has selected. */
  onSelect?: (fromMs: number, toMs: number) => void;
}

/**
 * Values over time. The legend has the values under the pointer; with the keyboard, arrow keys move from point to point,
 * and Enter selects one.
 */
export function TimeChart({ label, times, series, unit, height = 180, onSelect }: TimeChartProps) {
  const [index, setIndex] = useState<number | null>(null);
  const { box, plot } = usePlot({ times, series, unit, height, onSelect, onCursor: setIndex });
  const last = times.length - 1;
  const shown = index === null ? null : Math.min(index, last);
  const move = (event: KeyboardEvent) => {
    const target = moved(event.key, shown ?? last, last);
    if (target !== null) {
      event.preventDefault();
      setIndex(target);
      const left = plot.current?.valToPos(times[target] ?? 0, 'x') ?? 0;
      plot.current?.setCursor({ left, top: 0 }, false);
    } else if (event.key === 'Enter' && shown !== null && onSelect) {
      const from = times[shown] ?? 0;
      const step = (times[1] ?? from + 60) - (times[0] ?? from);
      onSelect(from * 1000, (from + step) * 1000);
    }
  };
  const text = (values: ChartSeries['values']) => valueText(shown === null ? null : values[shown], unit);
  const at = shown === null ? null : localTime(new Date((times[shown] ?? 0) * 1000).toISOString());
  const read = series.map(({ name, values }) => `${name} ${text(values)}`).join(', ');
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.label}>{label}</span>
        <ul className={styles.legend}>
          {series.map(({ name, tone, values }) => (
            <li key={name} data-tone={tone}>
              {name} {shown !== null && <strong>{text(values)}</strong>}
            </li>
          ))}
        </ul>
        <span className={styles.at}>{at}</span>
      </figcaption>
      <div
        ref={box}
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label={`${label}: points in time`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? Math.max(0, last)}
        aria-valuetext={at === null ? 'Arrow keys read the values' : `${at}: ${read}`}
        onKeyDown={move}
        onBlur={() => setIndex(null)}
      />
    </figure>
  );
}

const valueText = (value: number | null | undefined, unit: ChartUnit) =>
  value === null || value === undefined ? '–' : unit === 'ms' ? durationText(value) : numberText(value);

/** The point that a key leads to from `from`; null for other keys. */
function moved(key: string, from: number, last: number): number | null {
  const targets: Record<string, number> = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last };
  const target = targets[key];
  return target === undefined ? null : Math.max(0, Math.min(last, target));
}

/** Draws the plot into `box`, as wide as it is, again when its options or the scheme change. */
function usePlot(options: {
  times: number[];
  series: ChartSeries[];
  unit: ChartUnit;
  height: number;
  onSelect: TimeChartProps['onSelect'];
  onCursor(index: number | null): void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const latest = useRef(options);
  latest.current = options;
  const scheme = useSchemeChanges();
  const { times, series, unit, height, onSelect } = options;
  const shape = `${unit} ${series.map(({ name, tone }) => `${name}/${tone}`).join()} ${onSelect !== undefined}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new values alone are drawn by the effect below
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const { times, series } = latest.current;
    const drawn = new uPlot(
      chartOptions({
        ...{ series, unit, height, width: element.clientWidth, colours: readColours(element) },
        onCursor: (index) => latest.current.onCursor(index),
        onSelect: onSelect && ((from, to) => latest.current.onSelect?.(from, to)),
      }),
      [times, ...series.map(({ values }) => values)],
      element,
    );
    plot.current = drawn;
    const size = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    size.observe(element);
    return () => {
      size.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [shape, height, scheme]);
  useEffect(() => plot.current?.setData([times, ...series.map(({ values }) => values)]), [times, series]);
  return { box, plot };
}
