import { Link, useNavigate } from '@tanstack/react-router';
import { TimeChart } from '../../components/chart/time-chart.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import { Panel } from '../../components/page.tsx';
import styles from './overview.module.css';
import { type RangeName, ranges } from './ranges.ts';
import { pendingOver, sumOf } from './series-values.ts';
import { type SeriesPoints, useSeries } from './use-overview.ts';

/** What came in and what became of it over time. A selected span opens the list of its events. */
export function SeriesCharts({ range, pendingNow }: { range: RangeName; pendingNow: number | null }) {
  const { data, error, refetch } = useSeries(range);
  if (error && !data) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className={styles.chartsPlace} aria-busy="true" />;
  return <Charts points={data.points} from={data.from} range={range} pendingNow={pendingNow} />;
}

function Charts(props: { points: SeriesPoints; from: string; range: RangeName; pendingNow: number | null }) {
  const { points, from, range, pendingNow } = props;
  const navigate = useNavigate();
  const times = points.map(({ at }) => Date.parse(at) / 1000);
  const values = (name: 'received' | 'rejected' | 'delivered' | 'failed') => points.map((point) => point[name]);
  const open = (fromMs: number, toMs: number) =>
    void navigate({
      to: '/events',
      search: { since: new Date(fromMs).toISOString(), until: new Date(toMs).toISOString() },
    });
  return (
    <>
      <Panel
        title={`Webhooks of ${ranges[range].name}`}
        actions={
          <ul className={styles.sums}>
            <li>
              <Link to="/events" search={{ since: from }}>
                {numberText(sumOf(values('received')))} received
              </Link>
            </li>
            <li>
              <Link to="/events" search={{ since: from, delivery_status: 'delivered' }}>
                {numberText(sumOf(values('delivered')))} delivered
              </Link>
            </li>
            <li>
              <Link to="/events" search={{ since: from, delivery_status: 'failed' }}>
                {numberText(sumOf(values('failed')))} failed
              </Link>
            </li>
            <li>
              <Link to="/rejected" search={{ since: from }}>
                {numberText(sumOf(values('rejected')))} rejected
              </Link>
            </li>
          </ul>
        }
      >
        <TimeChart
          label="Events"
          times={times}
          unit="count"
          height={200}
          onSelect={open}
          series={[
            { name: 'received', tone: 'accent', values: values('received') },
            { name: 'delivered', tone: 'good', values: values('delivered') },
            { name: 'failed', tone: 'bad', values: values('failed') },
            { name: 'rejected', tone: 'calm', values: values('rejected') },
          ]}
        />
      </Panel>
      <div className={styles.columns}>
        <Panel>
          <TimeChart
            label="Pending"
            times={times}
            unit="count"
            height={140}
            onSelect={open}
            series={[{ name: 'pending', tone: 'open', values: pendingOver(points, pendingNow) }]}
          />
        </Panel>
        <Panel>
          <TimeChart
            label="From receipt to delivery"
            times={times}
            unit="ms"
            height={140}
            onSelect={open}
            series={[
              { name: 'half within', tone: 'accent', values: points.map(({ latency_ms }) => latency_ms?.p50 ?? null) },
              { name: '99 % within', tone: 'open', values: points.map(({ latency_ms }) => latency_ms?.p99 ?? null) },
            ]}
          />
        </Panel>
      </div>
    </>
  );
}
