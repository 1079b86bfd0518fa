import { useEffect, useId, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { announce } from '../../components/announce.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Moment } from '../../components/moment.tsx';
import { Facts } from '../../components/page.tsx';
import styles from './maintenance.module.css';
import { RunList } from './run-list.tsx';
import { RunView } from './run-view.tsx';
import { type Task, useTaskAction } from './use-tasks.ts';

/** Longer than a worker waits before it takes a run; a run that nobody takes fails later, and then shows here. */
const awaitedMs = 90_000;

/**
 * A task with its schedule, its last run and its actions.
 *
 * @param onAwait called with true while a run is awaited that the user has asked for.
 */
export function TaskCard({ task, onAwait }: { task: Task; onAwait(isAwaiting: boolean): void }) {
  const { name, description, schedule, scheduled, paused, last_run, next_run_at } = task;
  const awaited = useAwaitedRun(task, onAwait);
  const [isOpen, setIsOpen] = useState(false);
  const runs = useId();
  return (
    <li className={`panel card ${styles.card}`} data-paused={paused} aria-labelledby={`task-${name}`}>
      <div className="spread">
        <h2 id={`task-${name}`}>{name}</h2>
        <State task={task} isAwaited={awaited.isAwaited} />
      </div>
      <p>{description}</p>
      {paused && (
        <p className={styles.paused}>
          <strong>Paused.</strong> The schedule does not start it until it is resumed.
        </p>
      )}
      {!scheduled && (
        <p className={styles.paused}>
          <strong>Not scheduled.</strong> A worker that takes this task creates its schedule when it starts.
        </p>
      )}
      <Facts
        className={styles.facts}
        rows={{
          Schedule: schedule,
          'Next run': next_run_at === null ? <span className="aside">none</span> : <Next iso={next_run_at} />,
          'Last run': last_run ? <RunView run={last_run} /> : <span className="aside">none yet</span>,
        }}
      />
      {isOpen && (
        <div id={runs}>
          <RunList name={name} />
        </div>
      )}
      <div className={`buttons ${styles.actions}`}>
        <Actions task={task} onTrigger={awaited.begin} />
        {scheduled && (
          <Button
            tone="quiet"
            aria-expanded={isOpen}
            aria-controls={runs}
            aria-label={`${isOpen ? 'Hide' : 'Show'} runs: ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide runs' : 'Show runs'}
          </Button>
        )}
      </div>
    </li>
  );
}

function Next({ iso }: { iso: string }) {
  return (
    <>
      <Moment iso={iso} ago />
      <p className="aside">
        <Moment iso={iso} />
      </p>
    </>
  );
}

function State({ task, isAwaited }: { task: Task; isAwaited: boolean }) {
  const { running, paused, scheduled } = task;
  if (running) return <Badge state="running" />;
  if (isAwaited) return <Badge state="queued" label="run asked for" />;
  if (paused) return <Badge state="paused" />;
  return scheduled ? <Badge state="scheduled" /> : <Badge state="error" label="not scheduled" />;
}

function Actions({ task, onTrigger }: { task: Task; onTrigger(): void }) {
  const { name, running, paused, scheduled } = task;
  const action = useTaskAction(task);
  const mayAdmin = useMay('admin');
  // Temporal has nothing to run or pause without a schedule.
  if (!mayAdmin || !scheduled) return null;
  return (
    <>
      <Button
        blocked={action.isPending || running}
        aria-label={`Run now: ${name}`}
        onClick={() => action.mutate('trigger', { onSuccess: onTrigger })}
      >
        Run now
      </Button>
      <Button
        tone={paused ? 'main' : 'plain'}
        blocked={action.isPending}
        aria-label={`${paused ? 'Resume' : 'Pause'}: ${name}`}
        onClick={() => action.mutate(paused ? 'resume' : 'pause')}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </>
  );
}

/** Watches for the end of a run that the user has asked for, and announces it. */
function useAwaitedRun({ name, last_run, running }: Task, onAwait: (isAwaiting: boolean) => void) {
  const [before, setBefore] = useState<{ startedAt: string | null } | null>(null);
  const isAwaited = before !== null;
  useEffect(() => {
    if (!isAwaited) return;
    onAwait(true);
    const timer = setTimeout(() => setBefore(null), awaitedMs);
    return () => {
      clearTimeout(timer);
      onAwait(false);
    };
  }, [isAwaited, onAwait]);
  useEffect(() => {
    if (!before || running || !last_run || last_run.started_at === before.startedAt) return;
    setBefore(null);
    announce(`${name}: ${last_run.outcome.replace('_', ' ')}.`, last_run.outcome === 'failed' ? 'bad' : 'good');
  }, [before, last_run, name, running]);
  return { isAwaited, begin: () => setBefore({ startedAt: last_run?.started_at ?? null }) };
}
