import { Badge } from '../../components/badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { byteText, numberText } from '../../components/number-text.ts';
import { durationText } from '../../components/time-text.ts';
import styles from './maintenance.module.css';
import type { Run } from './use-tasks.ts';

/** What the outcomes mean that do not speak for themselves. */
const meanings: Partial<Record<Run['outcome'], string>> = {
  skipped: 'Another run was in progress.',
  cancelled: 'Temporal ended the run.',
  terminated: 'Temporal ended the run.',
  timed_out: 'Temporal ended the run, because it took too long.',
  unknown: 'Temporal no longer keeps this run.',
};
const states: Record<Run['outcome'], string> = {
  ...{ running: 'running', completed: 'completed', skipped: 'skipped', unknown: 'unknown' },
  ...{ failed: 'failed', cancelled: 'failed', terminated: 'failed', timed_out: 'failed' },
};

/** A run of a task: when it began, how it ended, and what it did. */
export function RunView({ run }: { run: Run }) {
  const { started_at, finished_at, outcome, result, error } = run;
  return (
    <>
      <span className="line">
        <Moment iso={started_at} ago />
        <Badge state={states[outcome]} label={outcome.replace('_', ' ')} />
        {finished_at !== null && (
          <span className="aside">took {durationText(Date.parse(finished_at) - Date.parse(started_at))}</span>
        )}
      </span>
      {result && <Result result={result} />}
      {meanings[outcome] && <p className="aside">{meanings[outcome]}</p>}
      {error !== null && <p className={styles.error}>{error}</p>}
    </>
  );
}

/** What a run did, without ids and counts of zero: a task counts many things, and mostly there is little to do. */
function Result({ result }: { result: NonNullable<Run['result']> }) {
  const shown = Object.entries(result).filter(([name, value]) => value !== 0 && !name.endsWith('_id'));
  if (shown.length === 0) return <p className="aside">There was nothing to do.</p>;
  return (
    <ul className={styles.result}>
      {shown.map(([name, value]) => (
        <li key={name}>
          <span className="aside">{name.replace(/_bytes$/, '').replaceAll('_', ' ')}</span>{' '}
          <bdi>{valueText(name, value)}</bdi>
        </li>
      ))}
    </ul>
  );
}

function valueText(name: string, value: string | number): string {
  if (typeof value === 'string') return value;
  return name.endsWith('_bytes') ? byteText(value) : numberText(value);
}
