import { Panel } from '../../components/page.tsx';
import { HealthParts } from './health-panel.tsx';
import { useHealth } from './use-overview.ts';

/** The health of the gateway: one line, unless something needs attention. */
export function HealthSummary() {
  const { data } = useHealth();
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
