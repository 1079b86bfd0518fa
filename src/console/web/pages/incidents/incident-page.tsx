import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Incident, useIncident } from '../../api/incidents.ts';
import { ApiProblem } from '../../api/problem.ts';
import { useMay } from '../../api/session.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { BulkJobs } from '../events/bulk/bulk-jobs.tsx';
import { CausePanel } from './cause-panel.tsx';
import { IncidentActions } from './incident-actions.tsx';
import { IncidentFacts } from './incident-facts.tsx';
import { EventsLink } from './incident-links.tsx';
import { IncidentNotices } from './incident-notices.tsx';
import { IncidentState } from './incident-state.tsx';
import { sentenceOf } from './incident-words.ts';
import { PauseIncident } from './pause-incident.tsx';
import { ReplayIncident } from './replay-incident.tsx';
import { useAnnouncedState } from './use-announced-state.ts';

/** One incident: what fails, since when, why, what is left of it, and what an operator can do about it. */
export function IncidentPage() {
  const { incidentId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useIncident(incidentId);
  if (data) return <OneIncident key={data.id} incident={data} />;
  const isUnknown = error instanceof ApiProblem && (error.status === 404 || error.status === 422);
  return (
    <Page title="Incident">
      {isUnknown && (
        <Empty title="There is no incident with this id.">
          <p>
            Incidents are deleted 90 days after their end. <Link to="/incidents">To the list of incidents</Link>
          </p>
        </Empty>
      )}
      {error && !isUnknown && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && <p aria-busy="true">Loading …</p>}
    </Page>
  );
}

function OneIncident({ incident }: { incident: Incident }) {
  const { kind, account_id: accountId, consumer } = incident;
  const mayOperate = useMay('operate');
  const [isReplaying, setIsReplaying] = useState(false);
  useAnnouncedState(incident);
  const title = sentenceOf(incident);
  return (
    <Page
      title={<bdi>{title}</bdi>}
      tabTitle={`${incident.state}: ${title.slice(0, 60)}`}
      aside={<IncidentState incident={incident} />}
      actions={
        <>
          <EventsLink incident={incident} className={buttonClass()} />
          {mayOperate && kind === 'delivery' && accountId !== null && (
            <>
              <PauseIncident incident={incident} accountId={accountId} consumer={consumer ?? 'default'} />
              <Button aria-expanded={isReplaying} onClick={() => setIsReplaying(!isReplaying)}>
                Replay …
              </Button>
            </>
          )}
          <IncidentActions incident={incident} />
        </>
      }
    >
      <IncidentNotices incident={incident} />
      {isReplaying && (
        <Panel title="Replay the events of this incident">
          <ReplayIncident incident={incident} onCancel={() => setIsReplaying(false)} />
        </Panel>
      )}
      {kind === 'delivery' && <BulkJobs mayStop={mayOperate} ofIncident={incident.id} />}
      <IncidentFacts incident={incident} />
      <CausePanel incident={incident} />
    </Page>
  );
}
