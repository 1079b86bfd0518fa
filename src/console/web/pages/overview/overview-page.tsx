import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSeesAll } from '../../api/session.ts';
import { useStats } from '../../api/stats.ts';
import { ProblemNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Segments } from '../../components/segments.tsx';
import { FailingAccounts } from './failing-accounts.tsx';
import { FirstSteps } from './first-steps.tsx';
import { HealthSummary } from './health-summary.tsx';
import { IncidentsPanel } from './incidents-panel.tsx';
import styles from './overview.module.css';
import { PauseButton } from './pause-button.tsx';
import { rangeLabels, rangeNamed } from './ranges.ts';
import { Retrying } from './retrying.tsx';
import { SeriesCharts } from './series-charts.tsx';
import { Tiles } from './tiles.tsx';
import { useHasNoAccounts } from './use-overview.ts';

/** Whether everything is well, and where to look if not. The range stands in the address. */
export function OverviewPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = rangeNamed(search.range);
  const { data, error, refetch } = useStats();
  const hasNoAccounts = useHasNoAccounts();
  const seesAll = useSeesAll();
  return (
    <Page
      title="Overview"
      actions={
        <>
          <Segments
            legend="Time"
            options={rangeLabels}
            chosen={range}
            onChoose={(name) => void navigate({ to: '/', search: { range: name === '1h' ? undefined : name } })}
          />
          {data?.paused === null && <PauseButton />}
        </>
      }
    >
      <IncidentsPanel />
      {hasNoAccounts && seesAll && <FirstSteps />}
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data && <Tiles stats={data} />}
      {seesAll && <HealthSummary />}
      {seesAll && <SeriesCharts range={range} pendingNow={data?.pending ?? null} />}
      <div className={styles.columns}>
        <FailingAccounts range={range} />
        <Retrying />
      </div>
    </Page>
  );
}
