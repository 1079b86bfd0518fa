import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Health } from '../../api/health.ts';
import { Badge } from '../../components/badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { durationText } from '../../components/time-text.ts';
import styles from './overview.module.css';

/** Whether database, Temporal, processes and backups are well, and what to do when they are not. */
export function HealthParts({ health }: { health: Health }) {
  const { database, temporal, processes, backups } = health;
  return (
    <div>
      <ul className={styles.health}>
        <Part name="Database" to="/maintenance" look={databaseLooks[database.state]}>
          {databaseTexts[database.state](database)}
        </Part>
        <Part name="Temporal" to="/maintenance" look={temporalLooks[temporal.state]}>
          {temporalTexts[temporal.state](temporal)}
        </Part>
        <Part name="Processes" to="/maintenance" look={processes.state === 'no_worker' ? 'bad' : 'well'}>
          {processTexts[processes.state](processes)}
        </Part>
        <Part name="Backups" to="/backups" look={backupLooks[backups.state]}>
          {backups.running_since !== null && (
            <>
              one is being made since <Moment iso={backups.running_since} />.{' '}
            </>
          )}
          {backups.last_success_at === null ? (
            'The events of this gateway are nowhere else. One is made at night if a worker makes backups; the page of backups says so.'
          ) : (
            <>
              last one <Moment iso={backups.last_success_at} ago />
            </>
          )}
          {backups.state === 'late' && '. A day has passed without one. Look at the page of backups.'}
          {backups.state === 'failed' &&
            `${backups.last_success_at === null ? '' : '.'} The newest one failed: ${backups.last_failure?.error ?? 'no reason is known'}`}
        </Part>
      </ul>
    </div>
  );
}

type Look = 'well' | 'slow' | 'none' | 'bad';
const looks = {
  well: ['on', 'well'],
  slow: ['pending', 'slow'],
  none: ['pending', 'none yet'],
  bad: ['failed', 'not well'],
} as const satisfies Record<Look, readonly [state: string, label: string]>;

const databaseLooks = { ok: 'well', slow: 'slow', partitions_missing: 'bad' } as const;
const temporalLooks = { ok: 'well', unavailable: 'bad', no_worker: 'bad', not_configured: 'well' } as const;
const backupLooks = { ok: 'well', failed: 'bad', late: 'bad', none: 'none' } as const;

const databaseTexts = {
  ok: ({ answer_ms, partitions_ahead_days: days }: Health['database']) =>
    `answers in ${durationText(answer_ms)}; tables for ${days} more days`,
  slow: ({ answer_ms }: Health['database']) =>
    `takes ${durationText(answer_ms)} for an empty query. Each webhook waits for it: look at its load, and at the network between.`,
  partitions_missing: () => 'There are no tables for the next days. Look at the last run of the retention task.',
};

const temporalTexts = {
  ok: ({ answer_ms, workers }: { answer_ms: number | null; workers: number | null }) =>
    `answers in ${durationText(answer_ms ?? 0)}; ${workers === 1 ? 'one worker' : `${workers ?? 0} workers`}`,
  unavailable: () => 'It does not answer. First attempts go on; retries wait. Check that it runs and is reachable.',
  no_worker: () => 'No worker takes retries and notifications. Check that a worker runs.',
  not_configured: () => 'This process has no address of it; workers use it.',
};

const of = (count: number, one: string) => (count === 1 ? `one ${one}` : `${count} ${one}s`);
const processTexts = {
  ok: ({ workers, delivering_apis }: { workers: number; delivering_apis: number }) =>
    `${of(delivering_apis, 'api')} with first attempts; ${of(workers, 'worker')}`,
  no_worker: () => 'No worker runs. First attempts go on; retries, notifications and maintenance wait.',
  no_delivering_api: () => 'No api makes first attempts. The workflows of events make them, which takes longer.',
};

function Part(props: { name: string; to: '/maintenance' | '/backups'; look: Look; children: ReactNode }) {
  const [state, label] = looks[props.look];
  return (
    <li className="line">
      <Badge state={state} label={label} />
      <Link to={props.to}>{props.name}</Link>
      <span className="aside">{props.children}</span>
    </li>
  );
}
