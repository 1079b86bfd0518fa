import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useHealth } from '../../api/health.ts';
import { type Incident, isOpen, openStates, useIncidents } from '../../api/incidents.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import { Panel } from '../../components/page.tsx';
import { countedCauses, groupedIncidents } from '../incidents/grouped-incidents.ts';
import { IncidentLine } from '../incidents/incident-line.tsx';
import styles from '../incidents/incidents.module.css';

/** So many fit a window, and are as many as an operator looks at one by one. */
const shown = 10;
/** The causes of the rest are named up to this number. */
const shownCauses = 6;

/** What fails now, and what is left of failures that are over: the first thing that an operator looks for. */
export function IncidentsPanel() {
  const { data, error, refetch } = useIncidents({ state: [...openStates, 'unfinished'], limit: 1_000 });
  const health = useHealth();
  const { data: session } = useSession();
  if (error && !data) return <ProblemNotice error={error} retry={() => void refetch()} />;
  // While the database takes no writes, no incident is stored. A token with a scope does not see the health.
  const isNoneSure = health.isSuccess || Boolean(session?.scope);
  const known = data && (data.length > 0 || isNoneSure) ? data : null;
  return (
    <>
      {/* Screen readers hear of a new incident while the page is open. */}
      <p className="visually-hidden" role="status">
        {known && titleOf(known)}
      </p>
      {known && <Incidents incidents={known} />}
      {/* The health says itself why it could not be read. */}
      {!known && !health.error && <Loading />}
    </>
  );
}

function Incidents({ incidents }: { incidents: readonly Incident[] }) {
  /** The line that the user works in. It stays, with what was typed, also when more than ten others are worse by now. */
  const [used, setUsed] = useState<string | null>(null);
  if (incidents.length === 0) return <Calm />;
  const groups = groupedIncidents(incidents);
  const lines = groups.filter(({ key }, index) => index < shown || key === used);
  const inLines = lines.reduce((sum, { others }) => sum + 1 + others.length, 0);
  const rest = incidents.length - inLines;
  return (
    <Panel title={titleOf(incidents)} actions={<Link to="/incidents">All incidents</Link>}>
      <ul aria-label="Incidents">
        {lines.map(({ key, incident, others }) => (
          <IncidentLine key={key} incident={incident} others={others} onFocus={() => setUsed(key)} />
        ))}
      </ul>
      {rest > 0 && <Rest count={rest} incidents={incidents.filter(isOpen)} />}
    </Panel>
  );
}

const Loading = () => (
  <Panel>
    <p aria-busy="true">Loading incidents …</p>
  </Panel>
);

function titleOf(incidents: readonly Incident[]): string {
  const open = incidents.filter(isOpen).length;
  if (incidents.length === 0) return 'No incident';
  if (open === 0) return 'Nothing fails now; some events are left to replay';
  return open === 1 ? 'One incident' : `${numberText(open)} incidents`;
}

function Calm() {
  return (
    <Panel>
      <p className={`line ${styles.calm}`}>
        <Badge state="on" label="well" />
        <span>Nothing fails: no consumer, no account and no part of the gateway has an open incident.</span>
        <Link to="/incidents" search={{ state: 'resolved' }}>
          Past incidents
        </Link>
      </p>
    </Panel>
  );
}

/** How many incidents have no line of their own, and all open ones by their causes, each with the list of these. */
function Rest({ count, incidents }: { count: number; incidents: readonly Incident[] }) {
  const causes = countedCauses(incidents);
  const more = causes.slice(shownCauses).reduce((sum, { n }) => sum + n, 0);
  return (
    <p className={`line ${styles.rest}`}>
      <span>and {numberText(count)} more; of all that are open:</span>
      {causes.slice(0, shownCauses).map(({ name, verb, n }) => (
        <span key={name} className="aside">
          <Link to="/incidents" search={{ cause: name }}>
            {numberText(n)}
          </Link>{' '}
          × {verb}
        </span>
      ))}
      {more > 0 && <span className="aside">{numberText(more)} for other reasons</span>}
    </p>
  );
}
