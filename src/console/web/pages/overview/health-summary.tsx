import { useHealth } from '../../api/health.ts';
import { ProblemNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { HealthParts } from './health-panel.tsx';

/** The health of the gateway: one line, unless something needs attention. */
export function HealthSummary() {
  const { data, error, refetch } = useHealth();
  // Also with data: that all was well before is no news while it cannot be read.
  if (error)
    return (
      <Panel title="Health">
        <ProblemNotice error={error} retry={() => void refetch()} />
      </Panel>
    );
  if (!data) return null;
  if (!data.ok)
    return (
      <Panel title="Health">
        <HealthParts health={data} />
      </Panel>
    );
  return (
    <details className="panel">
      <summary>
        {data.backups.state === 'none'
          ? 'Database, Temporal and processes are well; there is no backup yet'
          : 'Database, Temporal, processes and backups are well'}
      </summary>
      <HealthParts health={data} />
    </details>
  );
}
