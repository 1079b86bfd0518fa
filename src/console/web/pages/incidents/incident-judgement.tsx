import type { Incident } from '../../api/incidents.ts';
import { Moment } from '../../components/moment.tsx';

/** Who acknowledged or closed an incident, or that it ended by itself. */
export function IncidentJudgement({ incident }: { incident: Incident }) {
  const { state, acknowledged_by, resolved_by, resolved_at } = incident;
  if (state === 'acknowledged')
    return (
      <>
        <bdi>{acknowledged_by}</bdi> knows of it.
      </>
    );
  if (state !== 'resolved') return null;
  if (resolved_by !== null)
    return (
      <>
        <bdi>{resolved_by}</bdi> closed it{' '}
        {resolved_at !== null && (
          <>
            at <Moment iso={resolved_at} />
          </>
        )}
        .
      </>
    );
  return (
    <>
      It ended by itself{' '}
      {resolved_at !== null && (
        <>
          at <Moment iso={resolved_at} />
        </>
      )}
      .
    </>
  );
}
