import { useCallback, useState } from 'react';
import { Page } from '../../components/page.tsx';
import { QueryProblem } from '../../components/query-problem.tsx';
import styles from './maintenance.module.css';
import { ProcessList } from './process-list.tsx';
import { TaskCard } from './task-card.tsx';
import { useTasks } from './use-tasks.ts';

/** The maintenance tasks with their schedules and runs. */
export function MaintenancePage() {
  /** How many runs are awaited. */
  const [awaited, setAwaited] = useState(0);
  const onAwait = useCallback((isAwaiting: boolean) => setAwaited((before) => before + (isAwaiting ? 1 : -1)), []);
  const tasks = useTasks(awaited > 0);
  const { data, error } = tasks;
  return (
    <Page title="Maintenance">
      <p className="intro">
        The gateway maintains itself with these tasks. Each is a schedule in Temporal, and workers run it. A paused task
        can still be run by hand.
      </p>
      <ProcessList />
      <QueryProblem of={tasks} />
      {!data && !error && <p aria-busy="true">Loading …</p>}
      {data && (
        <ul className={`cards ${styles.list}`}>
          {data.map((task) => (
            <TaskCard key={task.name} task={task} onAwait={onAwait} />
          ))}
        </ul>
      )}
    </Page>
  );
}
