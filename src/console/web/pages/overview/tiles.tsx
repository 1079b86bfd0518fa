import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Filters } from '../../api/filters.ts';
import type { Stats } from '../../api/stats.ts';
import { Moment } from '../../components/moment.tsx';
import { counted, numberText, percentText } from '../../components/number-text.ts';
import { durationText } from '../../components/time-text.ts';
import styles from './overview.module.css';

/** The present in numbers. One is a link only if a list has exactly what it counts. */
export function Tiles({ stats }: { stats: Stats }) {
  const { recent_attempts: recent, first_attempt_delay_ms: delay } = stats;
  const { rejected_today: rejected, workflow_starts: starts } = stats;
  const today = new Date();
  today.setUTCHours(0, 0, 0, 0);
  return (
    <>
      <ul className={styles.tiles}>
        <Tile
          name="Success rate"
          value={recent.success_rate === null ? '–' : percentText(recent.success_rate)}
          aside={recentText(recent)}
          isBad={recent.success_rate !== null && recent.success_rate < 0.95}
        />
        <Tile
          name="Not delivered"
          value={numberText(stats.failed)}
          aside="no attempt follows"
          search={{ delivery_status: 'failed' }}
          isBad={stats.failed > 0}
        />
        <Tile
          name="Waiting or retrying"
          value={numberText(stats.pending)}
          aside={<Oldest iso={stats.oldest_pending_at} none="nothing waits" />}
          search={{ delivery_status: 'pending' }}
        />
      </ul>
      <ul className={`panel ${styles.minor}`}>
        <Figure name="Being retried" value={numberText(stats.retrying)} aside="after a failed attempt" />
        <Figure
          name="First attempt after"
          value={delay.p50 === null ? '–' : durationText(delay.p50)}
          aside={delay.p99 === null ? 'no event yet' : `99 % within ${durationText(delay.p99)}`}
        />
        <Figure
          name="Rejected today"
          value={numberText(rejected.received)}
          aside={
            <>
              {rejected.limit_reached ? 'not all were kept' : 'since midnight UTC'} ·{' '}
              <Link to="/rejected" search={{ since: today.toISOString() }}>
                list
              </Link>
            </>
          }
          isBad={rejected.limit_reached}
        />
        <Figure
          name="Starts waiting"
          value={numberText(starts.waiting)}
          aside={<Oldest iso={starts.since} none="Temporal keeps up" />}
        />
      </ul>
    </>
  );
}

const recentText = ({ minutes, attempts, failed_attempts }: Stats['recent_attempts']) =>
  attempts === 0
    ? `no attempt in the last ${minutes} min`
    : `${numberText(failed_attempts)} of ${counted(attempts, 'attempt')} failed in the last ${minutes} min`;

function Oldest({ iso, none }: { iso: string | null; none: string }) {
  if (iso === null) return none;
  return (
    <>
      oldest <Moment iso={iso} ago />
    </>
  );
}

interface FigureProps {
  name: string;
  value: string;
  aside: ReactNode;
  isBad?: boolean;
}

/** One of the numbers that an operator looks at first. @param search the filter of the events that it counts */
function Tile({ search, isBad, ...figure }: FigureProps & { search?: Filters }) {
  const look = { className: `panel ${styles.tile}`, 'data-bad': isBad };
  return (
    <li>
      {search ? (
        <Link to="/events" search={search} {...look}>
          <FigureText {...figure} />
        </Link>
      ) : (
        <div {...look}>
          <FigureText {...figure} />
        </div>
      )}
    </li>
  );
}

/** One of the other numbers. */
const Figure = ({ isBad, ...figure }: FigureProps) => (
  <li className={styles.figure} data-bad={isBad}>
    <FigureText {...figure} />
  </li>
);

const FigureText = ({ name, value, aside }: FigureProps) => (
  <>
    <span className={styles.name}>{name}</span>
    <strong className={styles.value}>{value}</strong>
    <span className="aside">{aside}</span>
  </>
);
