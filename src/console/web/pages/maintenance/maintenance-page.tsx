import { useCallback, useState } from 'react';
import { ProblemNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import styles from './maintenance.module.css';
import { ProcessList } from './process-list.tsx';
import { TaskCard } from './task-card.tsx';
import { useTasks } from './use-tasks.ts';

/** The maintenance tasks with their schedules and runs. */
export function MaintenancePage() {
  /** How many runs are awaited. */
  const [awaited, setAwaited] = useState(0);
  const onAwait = useCallback((isAwaiting: boolean) => setAwaited((before) => before + (isAwaiting ? 1 : -1)), []);
  const { data, error, refetch } = useTasks(awaited > 0);
  return (
    <Page title="Maintenance">
      <p className="intro">
        The gateway maintains itself with these tasks. Each is a schedule in Temporal, and workers run it. A paused task
        can still be run by hand.
      </p>
      <ProcessList />
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
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
