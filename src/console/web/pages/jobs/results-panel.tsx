import { Link } from '@tanstack/react-router';
import type { Filters } from '../../api/filters.ts';
import type { BulkJob } from '../../api/types.ts';
import { counted, numberText } from '../../components/number-text.ts';
import { Panel } from '../../components/page.tsx';
import styles from './jobs.module.css';

type Results = BulkJob['results'];
type Name = Exclude<keyof Results, 'exact'>;

interface Shown {
  name: Name;
  label: string;
  meaning: string;
  tone?: 'good' | 'open' | 'bad';
  /** The filter that finds exactly these events. */
  filter: Filters;
}

/** The results in the order in which they are shown. */
const shown: readonly Shown[] = [
  {
    name: 'delivered',
    label: 'Delivered',
    meaning: 'The consumer has taken them.',
    tone: 'good',
    filter: { state: 'delivered' },
  },
  {
    name: 'failing',
    label: 'Failing again',
    meaning: 'Attempts have failed, and more follow.',
    tone: 'open',
    filter: { state: 'retrying' },
  },
  {
    name: 'exhausted',
    label: 'Exhausted again',
    meaning: 'The last attempt has failed.',
    tone: 'bad',
    filter: { state: 'exhausted' },
  },
  {
    name: 'waiting',
    label: 'Waiting',
    meaning: 'For an attempt, or for the end of a pause.',
    filter: { state: 'waiting' },
  },
];

/** What became of the events of a job, each number with a link to its events. */
export function ResultsPanel({ job }: { job: BulkJob }) {
  const { results } = job;
  // A retry leaves the state of an event until its attempt is recorded, so that no list has these events.
  const isListed = job.action !== 'retry' || results.waiting === 0;
  const others = job.done - shown.reduce((sum, { name }) => sum + results[name], 0);
  return (
    <Panel
      title="What became of its events"
      actions={
        <Link to="/events" search={{ job: job.id }}>
          All its events
        </Link>
      }
    >
      <div className="stack">
        <ul className={styles.results} aria-label="Results">
          {shown.map(({ name, label, meaning, tone, filter }) => {
            const n = results[name];
            return (
              <li key={name} className={styles.result} data-tone={n > 0 ? tone : undefined}>
                <span className={styles.name}>{label}</span>
                {n > 0 && isListed ? (
                  <Link
                    to="/events"
                    search={{ job: job.id, ...filter }}
                    aria-label={`${label}: ${numberOf(results, n)}`}
                  >
                    {numberOf(results, n)}
                  </Link>
                ) : (
                  <span className={n > 0 ? styles.number : styles.none}>{numberOf(results, n)}</span>
                )}
                <span className="aside">{meaning}</span>
              </li>
            );
          })}
        </ul>
        {results.exact && others > 0 && (
          <p className="aside">
            {counted(others, 'event')} {others === 1 ? 'is' : 'are'} no longer counted here: acknowledged or marked dead
            since, changed by a later job, or deleted when their retention ended.
          </p>
        )}
        {!results.exact && <p className="aside">There are too many events to count all of them: these are some.</p>}
      </div>
    </Panel>
  );
}

const numberOf = ({ exact }: Results, n: number) => `${numberText(n)}${exact ? '' : '+'}`;
