import { type Incident, openStates, useIncidents } from '../../api/incidents.ts';
import { Notice } from '../../components/notice.tsx';
import { IncidentLink } from './incident-links.tsx';
import { IncidentState } from './incident-state.tsx';

/** As many as a page needs: an account has at most five causes of each consumer, and it may have 25 consumers. */
const limit = 200;

/**
 * The open incidents of an account, as links.
 *
 * @param kind only incidents of this kind
 * @param consumer only incidents of this consumer
 */
export function OpenIncidents(props: { accountId: string; kind?: Incident['kind']; consumer?: string }) {
  const { accountId, kind, consumer } = props;
  const { data } = useIncidents({ account_id: accountId, state: openStates, limit });
  const shown = (data ?? []).filter(
    (one) =>
      (kind === undefined || one.kind === kind) && (consumer === undefined || (one.consumer ?? 'default') === consumer),
  );
  if (shown.length === 0) return null;
  return (
    <Notice tone="bad">
      <ul className="lines" aria-label="Open incidents">
        {shown.map((incident) => (
          <li key={incident.id} className="line">
            <IncidentState incident={incident} />
            <IncidentLink incident={incident} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
