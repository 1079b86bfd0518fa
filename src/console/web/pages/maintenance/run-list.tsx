import { QueryProblem } from '../../components/query-problem.tsx';
import styles from './maintenance.module.css';
import { RunView } from './run-view.tsx';
import { type Task, useRuns } from './use-tasks.ts';

/** The last runs of a task, newest first. */
export function RunList({ name }: { name: Task['name'] }) {
  const runs = useRuns(name);
  const { data, error } = runs;
  return (
    <>
      <QueryProblem of={runs} />
      {!data && !error && <p className="aside">Loading …</p>}
      {data?.length === 0 && <p className="aside">The schedule has not started a run yet.</p>}
      {data && data.length > 0 && (
        <ol className={styles.runs} aria-label={`Runs of ${name}, newest first`}>
          {data.map((run) => (
            <li key={run.started_at}>
              <RunView run={run} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
