import type { IncidentChange, TellIncidents } from '../../incidents/incident.ts';
import type { IncidentDestination } from './incident-match.ts';
import { messageFor, type NewIncidentMessage, writeIncidentMessages } from './new-incident-messages.ts';
import type { PlaceOf } from './place.ts';

const readDestinations = {
  name: 'read_destinations_of_incidents',
  text: `
    select d.id, d.account_id, d.destination_type, d.config, d.condition, d.kinds
    from destinations d join accounts a on a.id = d.account_id
    where d.account_id = any($1::uuid[]) and d.enabled and a.deleted_at is null
      and d.kinds && array['incident.opened', 'incident.resolved']
    order by d.account_id, d.position, d.created_at, d.id`,
};

/**
 * Ends messages that a change makes pointless, if they were never tried: of a resolved incident its reminders, and its
 * reopening; of a reopened one that it was resolved. The first message about an incident is always sent.
 */
const endObsolete = {
  name: 'end_obsolete_incident_messages',
  text: `
    update incident_messages m set status = 'obsolete', due_at = null
    where m.status = 'pending' and m.attempts = 0 and (
      m.incident_id = any($1::uuid[]) and m.kind = 'incident.resolved'
      or m.incident_id = any($2::uuid[]) and m.kind = 'incident.opened' and (m.reminder or exists (
        select from incident_messages e where e.incident_id = m.incident_id and e.destination_id = m.destination_id
          and (e.happened_at, e.id) < (m.happened_at, m.id) and e.status <> 'obsolete')))
    returning m.incident_id as "incidentId", m.destination_id as "destinationId", m.reminder`,
};

const readLast = {
  name: 'read_last_incident_messages',
  text: `
    select distinct on (incident_id, destination_id) incident_id as "incidentId", destination_id as "destinationId", kind, status
    from incident_messages where incident_id = any($1::uuid[]) and status <> 'obsolete'
    order by incident_id, destination_id, happened_at desc, id desc`,
};

interface Key {
  incidentId: string;
  destinationId: string;
}
type Last = Key & { kind: string; status: string };

const keyOf = ({ incidentId, destinationId }: Key) => `${incidentId}.${destinationId}`;

/**
 * Records the messages about changed incidents, in the transaction that changes them: to each enabled destination whose
 * kinds and condition match. An incident that is reopened is told again to those that were told that it is resolved.
 */
export function tellIncidents(placeOf: PlaceOf): TellIncidents {
  return async (sql, changes) => {
    if (changes.length === 0) return;
    const idsOf = (change: IncidentChange['change']) =>
      changes.filter((one) => one.change === change).map(({ incidentId }) => incidentId);
    const ended = await sql.query<Key & { reminder: boolean }>(endObsolete, [idsOf('opened'), idsOf('resolved')]);
    const accounts = [...new Set(changes.map(({ accountId }) => accountId))];
    const destinations = await sql.query<IncidentDestination>(readDestinations, [accounts]);
    if (destinations.length === 0) return;
    const last = await sql.query<Last>(readLast, [changes.map(({ incidentId }) => incidentId)]);
    const history = {
      last: new Map(last.map((one) => [keyOf(one), one])),
      // Of resolved incidents, these are reopenings that were never told.
      ended: new Set(ended.filter(({ reminder }) => !reminder).map(keyOf)),
    };
    const ofAccount = Map.groupBy(destinations, ({ account_id }) => account_id);
    const messages = changes.flatMap((change) =>
      (ofAccount.get(change.accountId) ?? []).flatMap((destination): NewIncidentMessage[] => {
        const message = messageFor(change, destination);
        return message && isNews(change, destination, history) ? [message] : [];
      }),
    );
    await writeIncidentMessages(sql, messages, placeOf);
  };
}

interface History {
  last: ReadonlyMap<string, Last>;
  ended: ReadonlySet<string>;
}

/** Whether a destination does not know yet what a change says, by the messages that it got or will get. */
function isNews(
  { incidentId, change }: IncidentChange,
  { id }: IncidentDestination,
  { last, ended }: History,
): boolean {
  const key = keyOf({ incidentId, destinationId: id });
  if (change === 'resolved') return !ended.has(key);
  const before = last.get(key);
  return before === undefined || before.kind === 'incident.resolved' || before.status === 'failed';
}
