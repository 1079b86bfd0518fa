import { useHealth } from '../../api/health.ts';
import { Badge } from '../../components/badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import { Panel } from '../../components/page.tsx';
import styles from './maintenance.module.css';
import { type Process, useProcesses } from './use-processes.ts';

/** Which processes of the gateway run, and what is missing. */
export function ProcessList() {
  const { data, error, refetch } = useProcesses();
  const { isSuccess: isHealthKnown } = useHealth();
  return (
    <Panel title="Processes">
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {/* While the database takes no writes, heartbeats are missing of processes that run. The banner says so. */}
      {data && isHealthKnown && <Missing processes={data} />}
      {data && data.length > 0 && (
        <ul className="lines" aria-label="Processes">
          {data.map((process) => (
            <li key={process.id} className="line">
              <One process={process} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function One({ process }: { process: Process }) {
  const { role, host, pid, version, alive, started_at, makes_first_attempts, first_attempts_per_s } = process;
  return (
    <>
      <strong>{role}</strong>
      <Badge state={alive ? 'running' : 'failed'} label={alive ? 'alive' : 'no heartbeat'} />
      <span>
        <bdi>{host}</bdi>, process {pid}, version {version}
      </span>
      <span className="aside">
        since <Moment iso={started_at} ago />
        {makes_first_attempts && `, ${numberText(first_attempts_per_s)} first attempts a second`}
      </span>
    </>
  );
}

/** What does not happen without the processes that are not there. */
function Missing({ processes }: { processes: readonly Process[] }) {
  const alive = processes.filter(({ alive }) => alive);
  const hasWorker = alive.some(({ role }) => role === 'worker');
  const delivers = alive.some(({ makes_first_attempts }) => makes_first_attempts);
  return (
    <>
      {!hasWorker && (
        <p className={styles.paused} role="status">
          <strong>No worker runs.</strong> Retries, notifications and maintenance wait for one.
          {delivers ? ' First attempts are made.' : ''}
        </p>
      )}
      {!delivers && hasWorker && (
        <p className={styles.paused} role="status">
          <strong>No api makes first attempts.</strong> The workflows of events make them, which takes longer.
        </p>
      )}
    </>
  );
}
