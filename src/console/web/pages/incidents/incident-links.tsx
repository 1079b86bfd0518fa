import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Incident, isOpen } from '../../api/incidents.ts';
import { Clock } from '../../components/moment.tsx';
import { placeOfGateway } from './gateway-places.ts';
import { sentenceOf } from './incident-words.ts';

/** What fails and since when, with a link to the incident. */
export function IncidentLink({ incident }: { incident: Incident }) {
  return (
    <span>
      <Link to="/incidents/$incidentId" params={{ incidentId: incident.id }}>
        <bdi>{sentenceOf(incident)}</bdi>
      </Link>{' '}
      <Span incident={incident} />
    </span>
  );
}

/** `since 22:23`, or `from 22:23 to 22:41`. */
function Span({ incident }: { incident: Incident }) {
  const { first_seen_at, last_seen_at } = incident;
  if (isOpen(incident))
    return (
      <>
        since <Clock iso={first_seen_at} />
      </>
    );
  return (
    <>
      from <Clock iso={first_seen_at} /> to <Clock iso={last_seen_at} />
    </>
  );
}

/** Where to look: the events of an incident, the rejected webhooks of its account, or what the console shows of the gateway. */
export function EventsLink({
  incident,
  only,
  className,
  children = 'Events',
}: {
  incident: Incident;
  /** Of a delivery, only the events that wait for another attempt, or that are exhausted. */
  only?: 'pending' | 'failed';
  className?: string;
  children?: ReactNode;
}) {
  const { id, kind } = incident;
  if (kind === 'gateway') {
    const place = placeOfGateway(incident.cause);
    return (
      place && (
        <Link to={place.to} search={place.search} className={className}>
          {place.name}
        </Link>
      )
    );
  }
  if (kind === 'rejections')
    return (
      <Link to="/rejected" search={{ incident: id }} className={className}>
        {children === 'Events' ? 'Rejected webhooks' : children}
      </Link>
    );
  return (
    <Link to="/events" search={{ incident: id, delivery_status: only }} className={className}>
      {children}
    </Link>
  );
}

/** A text that leads to the answer of an example event. */
export function AnswerLink({ incident, children }: { incident: Incident; children: ReactNode }) {
  const { example_event_id } = incident;
  if (example_event_id === null) return children;
  return (
    <Link to="/events/$eventId" params={{ eventId: example_event_id }} hash="answer">
      {children}
    </Link>
  );
}
