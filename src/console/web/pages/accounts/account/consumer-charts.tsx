import { useMemo } from 'react';
import type { ChartSeries } from '../../../components/chart/chart-options.ts';
import { TimeChart } from '../../../components/chart/time-chart.tsx';
import { Empty } from '../../../components/notice.tsx';
import { numberText, percentText } from '../../../components/number-text.ts';
import { Facts } from '../../../components/page.tsx';
import { durationText } from '../../../components/time-text.ts';
import styles from './account.module.css';
import { type Points, totalsOf } from './consumer-totals.ts';

/** What the hours of a consumer amount to, and how they went. */
export function ConsumerCharts({ points }: { points: Points }) {
  // The chart is drawn again when these change, and not when anything else on the page does.
  const { times, attempts, durations } = useMemo(() => chartsOf(points), [points]);
  const totals = totalsOf(points);
  if (totals.attempts === 0) {
    return (
      <Empty title="No attempts in this time">
        <p>They are counted within seconds after a webhook arrived.</p>
      </Empty>
    );
  }
  const numbers = {
    Attempts: numberText(totals.attempts),
    Accepted: percentText((totals.attempts - totals.failed) / totals.attempts),
    Failed: numberText(totals.failed),
    'Events exhausted': numberText(totals.exhausted),
    'p95, worst hour': totals.slowest === null ? '–' : durationText(totals.slowest),
  };
  return (
    <div className="stack">
      <Facts rows={numbers} className={styles.numbers} />
      <TimeChart label="Attempts by the hour" times={times} unit="count" height={170} series={attempts} />
      <TimeChart label="Duration of attempts" times={times} unit="ms" height={150} series={durations} />
    </div>
  );
}

function chartsOf(points: Points): { times: number[]; attempts: ChartSeries[]; durations: ChartSeries[] } {
  return {
    times: points.map(({ at }) => Date.parse(at) / 1000),
    attempts: [
      {
        ...{ name: 'Attempts', tone: 'calm', isArea: true },
        values: points.map(({ delivered, failed_attempts }) => delivered + failed_attempts),
      },
      { name: 'Failed', tone: 'bad', values: points.map(({ failed_attempts }) => failed_attempts) },
    ],
    durations: [
      { name: 'p50', tone: 'accent', values: points.map(({ duration_ms }) => duration_ms.p50) },
      { name: 'p95', tone: 'calm', values: points.map(({ duration_ms }) => duration_ms.p95) },
    ],
  };
}
