import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/page.tsx';
import { durationText } from '../../components/time-text.ts';
import styles from './overview.module.css';
import { useHealth } from './use-overview.ts';

/** Whether database, Temporal, processes and backups are well, and what to do when they are not. */
export function HealthPanel() {
  const { data } = useHealth();
  if (!data) return null;
  const { database, temporal, processes, backups } = data;
  return (
    <Panel title="Health">
      <ul className={styles.health}>
        <Part name="Database" to="/maintenance" isWell={database.state === 'ok'}>
          {database.state === 'ok'
            ? `answers in ${durationText(database.answer_ms)}; tables for ${database.partitions_ahead_days} more days`
            : 'There are no tables for the next days. Look at the last run of the retention task.'}
        </Part>
        <Part name="Temporal" to="/maintenance" isWell={temporal.state === 'ok' || temporal.state === 'not_configured'}>
          {temporalTexts[temporal.state](temporal)}
        </Part>
        <Part name="Processes" to="/maintenance" isWell={processes.state !== 'no_worker'}>
          {processTexts[processes.state](processes)}
        </Part>
        <Part name="Backups" to="/backups" isWell={backups.state === 'ok' || backups.state === 'none'}>
          {backups.running_since !== null && (
            <>
              one is being made since <Moment iso={backups.running_since} />.{' '}
            </>
          )}
          {backups.last_success_at === null ? (
            'None yet. Make one on the page of backups.'
          ) : (
            <>
              last one <Moment iso={backups.last_success_at} ago />
            </>
          )}
          {backups.state === 'late' && '. A day has passed without one. Look at the page of backups.'}
          {backups.state === 'failed' &&
            `. The newest one failed: ${backups.last_failure?.error ?? 'no reason is known'}`}
        </Part>
      </ul>
    </Panel>
  );
}

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

function Part(props: { name: string; to: '/maintenance' | '/backups'; isWell: boolean; children: ReactNode }) {
  return (
    <li className="line">
      <Badge state={props.isWell ? 'on' : 'failed'} label={props.isWell ? 'well' : 'not well'} />
      <Link to={props.to}>{props.name}</Link>
      <span className="aside">{props.children}</span>
    </li>
  );
}
