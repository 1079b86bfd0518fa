import type uPlot from 'uplot';
import { shortNumberText } from '../number-text.ts';
import { durationText } from '../time-text.ts';
import type { ChartColours, ChartTone } from './chart-colours.ts';

export interface ChartSeries {
  name: string;
  tone: ChartTone;
  /** Filled down to the axis: the volume that the other lines are a part of. */
  isArea?: boolean;
  /** One for each time; null where nothing was measured. */
  values: (number | null)[];
}

export type ChartUnit = 'count' | 'ms';

const daySeconds = 86_400;
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Distances between lines of an axis of durations (ms): round in milliseconds, seconds, minutes, hours and days. */
const durationSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 6, 12, 24, 48, 168].map((hours) => hours * 3_600_000),
];

/** The text of a value on an axis. */
const axisText = { count: shortNumberText, ms: durationText };

/** What uPlot needs to draw `series`. */
export function chartOptions(chart: {
  series: readonly ChartSeries[];
  unit: ChartUnit;
  colours: ChartColours;
  width: number;
  height: number;
  onCursor(index: number | null): void;
  onSelect: ((fromMs: number, toMs: number) => void) | undefined;
}): uPlot.Options {
  const { series, unit, colours, width, height, onCursor, onSelect } = chart;
  const axis = { stroke: colours.text, font: '11px "Figtree Variable", system-ui, sans-serif' };
  const grid = { stroke: colours.line, width: 1 };
  return {
    ...{ width, height, legend: { show: false } },
    cursor: {
      y: false,
      points: { size: 7 },
      drag: { x: onSelect !== undefined, y: false, setScale: false },
    },
    scales: { y: { range: (_, __, max) => [0, topOf(max, unit)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { ...grid, size: 5 },
        size: 28,
        values: (_, splits, __, ___, step) =>
          splits.map((at) => (step >= daySeconds ? day : minute).format(new Date(at * 1000))),
      },
      {
        ...axis,
        grid,
        ticks: { show: false },
        ...(unit === 'ms' ? { incrs: durationSteps } : {}),
        size: unit === 'ms' ? 76 : 48,
        values: (_, splits) => splits.map((at) => axisText[unit](at)),
      },
    ],
    series: [
      {},
      ...series.map(({ name, tone, isArea }) => ({
        label: name,
        stroke: colours[tone],
        ...(isArea ? { fill: colours.area } : {}),
        width: isArea ? 1 : 2,
        // A line needs two points; a value between two times without one would not be seen.
        points: {
          show: false,
          size: 5,
          fill: colours[tone],
          filter: (plot: uPlot, n: number) => lonely(plot.data[n] ?? []),
        },
      })),
    ],
    hooks: {
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          if (plot.select.width === 0) return;
          const [from, to] = [plot.select.left, plot.select.left + plot.select.width].map((x) => plot.posToVal(x, 'x'));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (from !== undefined && to !== undefined) onSelect?.(from * 1000, to * 1000);
        },
      ],
    },
  };
}

/** The indices of values without a neighbour. */
const lonely = (values: ArrayLike<number | null | undefined>): number[] =>
  Array.from(values).flatMap((value, n) =>
    value != null && values[n - 1] == null && values[n + 1] == null ? [n] : [],
  );

/** The top of the scale. A chart without values still has an axis, and few events are not drawn as fractions. */
const topOf = (max: number | null, unit: ChartUnit) => Math.max((max ?? 0) * 1.08, unit === 'count' ? 4 : 1);
