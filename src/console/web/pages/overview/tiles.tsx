import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Filters } from '../../api/filters.ts';
import type { Stats } from '../../api/stats.ts';
import { Moment } from '../../components/moment.tsx';
import { numberText, percentText } from '../../components/number-text.ts';
import { durationText } from '../../components/time-text.ts';
import styles from './overview.module.css';

/** The present in numbers. Each leads to the list that explains it. */
export function Tiles({ stats }: { stats: Stats }) {
  const { success_rate, first_attempt_delay_ms: delay, rejected_today: rejected, workflow_starts: starts } = stats;
  const today = new Date();
  today.setUTCHours(0, 0, 0, 0);
  return (
    <ul className={styles.tiles}>
      <Tile
        name="Success rate"
        value={success_rate === null ? '–' : percentText(success_rate)}
        aside="of ended deliveries"
        search={{ delivery_status: 'failed' }}
        isBad={success_rate !== null && success_rate < 0.95}
      />
      <Tile
        name="Pending"
        value={numberText(stats.pending)}
        aside={<Oldest iso={stats.oldest_pending_at} none="nothing waits" />}
        search={{ delivery_status: 'pending' }}
      />
      <Tile
        name="Being retried"
        value={numberText(stats.retrying)}
        aside="after a failed attempt"
        search={{ delivery_status: 'pending' }}
      />
      <Tile
        name="Failed"
        value={numberText(stats.failed)}
        aside="all attempts failed"
        search={{ delivery_status: 'failed' }}
        isBad={stats.failed > 0}
      />
      <Tile
        name="First attempt after"
        value={delay.p50 === null ? '–' : durationText(delay.p50)}
        aside={delay.p99 === null ? 'no event yet' : `99 % within ${durationText(delay.p99)}`}
      />
      <Tile
        name="Rejected today"
        value={numberText(rejected.received)}
        aside={rejected.limit_reached ? 'not all were kept' : 'since midnight UTC'}
        to="/rejected"
        search={{ since: today.toISOString() }}
        isBad={rejected.limit_reached}
      />
      <Tile
        name="Starts waiting"
        value={numberText(starts.waiting)}
        aside={<Oldest iso={starts.since} none="Temporal keeps up" />}
        search={{ delivery_status: 'pending' }}
      />
    </ul>
  );
}

function Oldest({ iso, none }: { iso: string | null; none: string }) {
  if (iso === null) return none;
  return (
    <>
      oldest <Moment iso={iso} ago />
    </>
  );
}

function Tile(props: {
  name: string;
  value: string;
  aside: ReactNode;
  /** The list that explains it: `/events` if not given. */
  to?: '/rejected';
  search?: Filters;
  isBad?: boolean;
}) {
  return (
    <li>
      <Link
        to={props.to ?? '/events'}
        search={props.search ?? {}}
        className={`panel ${styles.tile}`}
        data-bad={props.isBad}
      >
        <span className={styles.name}>{props.name}</span>
        <strong className={styles.value}>{props.value}</strong>
        <span className="aside">{props.aside}</span>
      </Link>
    </li>
  );
}
