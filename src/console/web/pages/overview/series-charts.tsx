import { Link, useNavigate } from '@tanstack/react-router';
import { TimeChart } from '../../components/chart/time-chart.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import { Panel } from '../../components/page.tsx';
import styles from './overview.module.css';
import { type RangeName, ranges } from './ranges.ts';
import { pendingOver, sumOf } from './series-values.ts';
import { type Series, useSeries } from './use-overview.ts';

/** What came in and what became of it over time. A selected span opens the list of its events. */
export function SeriesCharts({ range, pendingNow }: { range: RangeName; pendingNow: number | null }) {
  const { data, error, refetch } = useSeries(range);
  if (error && !data) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className={styles.chartsPlace} aria-busy="true" />;
  return <Charts series={data} pendingNow={pendingNow} />;
}

/**
 * What is counted when it happens, and how it is drawn: what failed, if anything did, over the volume of what came in. The
 * words are not those of lists, which show what is: an event that failed and was replayed is in no list of failed events.
 */
const happenings = [
  { field: 'received', one: 'arrival', name: 'arrivals', look: { tone: 'calm', isArea: true } },
  { field: 'delivered', one: 'delivery', name: 'deliveries', look: null },
  { field: 'failed', one: 'failure', name: 'failures', look: { tone: 'bad' } },
  { field: 'rejected', one: 'rejection', name: 'rejections', look: { tone: 'open' } },
] as const;

function Charts({ series, pendingNow }: { series: Series; pendingNow: number | null }) {
  const { points, from, range } = series;
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
          <p className={styles.sums}>
            {happenings.map(({ field, one, name }) => {
              const sum = sumOf(values(field));
              return (
                <span key={name}>
                  {numberText(sum)} {sum === 1 ? one : name}
                </span>
              );
            })}
            <Link to="/events" search={{ since: from }}>
              Events since then
            </Link>
          </p>
        }
      >
        <TimeChart
          label="Events"
          times={times}
          unit="count"
          height={200}
          onSelect={open}
          series={happenings
            .flatMap(({ field, name, look }) =>
              look && (field === 'received' || sumOf(values(field)) > 0)
                ? [{ name, ...look, values: values(field) }]
                : [],
            )
            // What failed is drawn last, over all others.
            .toSorted((a, b) => Number(a.tone === 'bad') - Number(b.tone === 'bad'))}
        />
      </Panel>
      <div className={styles.columns}>
        <Panel>
          <TimeChart
            label="Waiting or retrying"
            times={times}
            unit="count"
            height={140}
            onSelect={open}
            series={[
              { name: 'waiting or retrying', tone: 'calm', isArea: true, values: pendingOver(points, pendingNow) },
            ]}
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
              { name: '99 % within', tone: 'calm', values: points.map(({ latency_ms }) => latency_ms?.p99 ?? null) },
            ]}
          />
        </Panel>
      </div>
    </>
  );
}
