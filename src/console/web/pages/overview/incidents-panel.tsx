import { Link } from '@tanstack/react-router';
import { type Incident, isOpen, openStates, useIncidents } from '../../api/incidents.ts';
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
  if (error && !data) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return (
    <>
      {/* Screen readers hear of a new incident while the page is open. */}
      <p className="visually-hidden" role="status">
        {data && titleOf(data)}
      </p>
      {data ? <Incidents incidents={data} /> : <Loading />}
    </>
  );
}

function Incidents({ incidents }: { incidents: readonly Incident[] }) {
  if (incidents.length === 0) return <Calm />;
  const groups = groupedIncidents(incidents);
  const rest = groups.slice(shown).reduce((sum, { others }) => sum + 1 + others.length, 0);
  return (
    <Panel title={titleOf(incidents)} actions={<Link to="/incidents">All incidents</Link>}>
      <ul aria-label="Incidents">
        {groups.slice(0, shown).map((group) => (
          <IncidentLine key={group.incident.id} {...group} />
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
