import { ProblemNotice } from '../../components/notice.tsx';
import styles from './maintenance.module.css';
import { RunView } from './run.tsx';
import { type Task, useRuns } from './use-tasks.ts';

/** The last runs of a task, newest first. */
export function RunList({ name }: { name: Task['name'] }) {
  const { data, error, refetch } = useRuns(name);
  if (error && !data) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (!data) return <p className="aside">Loading …</p>;
  if (data.length === 0) return <p className="aside">The schedule has not started a run yet.</p>;
  return (
    <ol className={styles.runs} aria-label={`Runs of ${name}, newest first`}>
      {data.map((run) => (
        <li key={run.started_at}>
          <RunView run={run} />
        </li>
      ))}
    </ol>
  );
}
