import { Link } from '@tanstack/react-router';
import { type Incident, type IncidentFilters, openStates, useIncidents } from '../../api/incidents.ts';
import { Button } from '../../components/button.tsx';
import { Moment } from '../../components/moment.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import { Page, Panel, ScrollTable } from '../../components/page.tsx';
import { Segments } from '../../components/segments.tsx';
import { useFilters } from '../../components/use-filters.ts';
import { IncidentCounts, limitedText } from './incident-counts.tsx';
import { AnswerLink, EventsLink, IncidentLink } from './incident-links.tsx';
import { IncidentState } from './incident-state.tsx';
import { causeOf } from './incident-words.ts';
import styles from './incidents.module.css';

/** The states to choose from, with what the API calls them. */
const states = { open: openStates, resolved: ['resolved' as const], all: undefined };
type StateName = keyof typeof states;
const labels = [
  ['open', 'Open'],
  ['resolved', 'Over'],
  ['all', 'All'],
] as const;

/** So many are listed. At most 1,000 of accounts are open; those that are over may be more. */
const limit = 1_000;

/** The incidents, newest first. Their state and cause are filters in the address. */
export function IncidentsPage() {
  const [filters, change] = useFilters();
  const { cause, account_slug, provider } = filters;
  const state: StateName = filters.state === 'resolved' || filters.state === 'all' ? filters.state : 'open';
  const query: IncidentFilters = {
    limit,
    ...(states[state] === undefined ? {} : { state: states[state] }),
    ...(account_slug === undefined ? {} : { account_slug }),
  };
  const { data, error, refetch } = useIncidents(query);
  const shown = data?.filter(
    (incident) =>
      (cause === undefined || causeOf(incident).name === cause) &&
      (provider === undefined || incident.provider === provider),
  );
  const clear = () => change({ cause: undefined, account_slug: undefined, provider: undefined });
  const isFiltered = cause !== undefined || account_slug !== undefined || provider !== undefined;
  return (
    <Page
      title="Incidents"
      actions={
        <Segments
          legend="State"
          options={labels}
          chosen={state}
          onChoose={(name) => change({ state: name === 'open' ? undefined : name })}
        />
      }
    >
      <p className="intro">
        An incident groups what fails for one reason: deliveries to a consumer, webhooks of an account that are
        rejected, or the gateway itself. It opens and ends by itself.
      </p>
      {isFiltered && (
        <p className="line">
          Only {[cause, provider, account_slug].filter((part) => part !== undefined).join(', ')}
          <Button tone="quiet" onClick={clear}>
            Clear filters
          </Button>
        </p>
      )}
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!data && !error && <p aria-busy="true">Loading …</p>}
      {data?.length === limit && <p>Only the newest {numberText(limit)} are listed.</p>}
      {shown?.length === 0 && <None state={state} onClear={isFiltered ? clear : null} />}
      {shown && shown.length > 0 && (
        <Panel>
          <IncidentTable incidents={shown} />
        </Panel>
      )}
    </Page>
  );
}

function None({ state, onClear }: { state: StateName; onClear: (() => void) | null }) {
  if (onClear !== null)
    return (
      <Empty title="No incident matches these filters.">
        <Button onClick={onClear}>Clear filters</Button>
      </Empty>
    );
  if (state !== 'open')
    return (
      <Empty title="No incident in the last 90 days.">
        <Link to="/incidents" search={{ state: 'open' }}>
          Open incidents
        </Link>
      </Empty>
    );
  return (
    <Empty title="No incident is open.">
      <Link to="/incidents" search={{ state: 'resolved' }}>
        Past incidents
      </Link>
    </Empty>
  );
}

const wide = 'wide-only';
const columns = [
  ...['State', 'What'],
  ...['Cause', 'Last seen', 'Failed', 'Waiting', 'Exhausted'].map((name) => [name, wide] as const),
];

function IncidentTable({ incidents }: { incidents: readonly Incident[] }) {
  return (
    <ScrollTable label="Incidents" columns={columns}>
      {incidents.map((incident) => (
        <tr key={incident.id}>
          <td>
            <IncidentState incident={incident} />
          </td>
          <td className={styles.wide}>
            <IncidentLink incident={incident} />
            <div className="narrow-only">
              <IncidentCounts incident={incident} /> <Cause incident={incident} />
            </div>
          </td>
          <td className={`${wide} ${styles.wide}`}>
            <Cause incident={incident} />
          </td>
          <td className={wide}>
            <Moment iso={incident.last_seen_at} ago />
          </td>
          <td className={wide}>{incident.kind === 'gateway' ? '–' : numberText(incident.attempts)}</td>
          <Count incident={incident} n={incident.waiting} only="pending" />
          <Count incident={incident} n={incident.exhausted} only="failed" />
        </tr>
      ))}
    </ScrollTable>
  );
}

function Cause({ incident }: { incident: Incident }) {
  const { detail } = causeOf(incident);
  if (detail === null) return '–';
  return (
    <AnswerLink incident={incident}>
      <code className={styles.cause}>
        <bdi>{detail}</bdi>
      </code>
    </AnswerLink>
  );
}

function Count({ incident, n, only }: { incident: Incident; n: number | null; only: 'pending' | 'failed' }) {
  return (
    <td className={wide}>
      {n === null || n === 0 ? (
        (n ?? '–')
      ) : (
        <EventsLink incident={incident} only={only}>
          {limitedText(n)}
        </EventsLink>
      )}
    </td>
  );
}
