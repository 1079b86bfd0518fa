import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import type { EventDetails } from '../../api/types.ts';
import { announce } from '../../components/announce.ts';
import { EventBadge } from '../../components/badge.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { EventActions } from './actions/event-actions.tsx';
import { ConsumersPanel } from './consumers-panel.tsx';
import { EventNotice } from './event-notice.tsx';
import { FactsPanel } from './facts-panel.tsx';
import { HeadersPanel } from './headers-panel.tsx';
import { PayloadPanel } from './payload/payload-panel.tsx';
import { RelatedEvents } from './related-events.tsx';
import { TimelinePanel } from './timeline/timeline-panel.tsx';
import { useEvent } from './use-event.ts';

/** One event: what happened to it, what it contains, and what an operator can do about it. */
export function EventPage() {
  const { eventId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useEvent(eventId);
  if (data) return <Event event={data} />;
  const isUnknown =
    error instanceof ApiProblem && (error.status === 404 || error.status === 405 || error.status === 422);
  return (
    <Page title="Event">
      {isUnknown && (
        <Empty title="There is no event with this id.">
          <p>
            It may have been deleted when its retention ended. <Link to="/events">To the list of events</Link>
          </p>
        </Empty>
      )}
      {error && !isUnknown && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && <p aria-busy="true">Loading …</p>}
    </Page>
  );
}

function Event({ event }: { event: EventDetails }) {
  useAnnouncedState(event);
  const name = event.event_type ?? event.external_id;
  return (
    <Page
      title={<bdi>{name}</bdi>}
      tabTitle={`${event.delivery_status ?? event.status}: ${name.slice(0, 60)}`}
      aside={<EventBadge {...event} />}
      actions={isRefused(event) || <EventActions key={event.id} event={event} />}
    >
      <EventNotice event={event} />
      <TimelinePanel event={event} />
      <ConsumersPanel event={event} />
      <FactsPanel event={event} />
      <PayloadPanel event={event} />
      <HeadersPanel event={event} />
      <RelatedEvents event={event} />
    </Page>
  );
}

/** Whether the API refuses all actions: the webhook was rejected, or no consumer wants it. */
const isRefused = ({ status, skipped_reason }: EventDetails) => status === 'rejected' || skipped_reason !== null;

/** Announces each change of the delivery while the page is open. */
function useAnnouncedState({ status, delivery_status, attempts }: EventDetails): void {
  const before = useRef({ status, delivery_status, attempts });
  useEffect(() => {
    const { current } = before;
    before.current = { status, delivery_status, attempts };
    if (current.delivery_status !== delivery_status && delivery_status === 'delivered') announce('Delivered.', 'good');
    else if (current.delivery_status !== delivery_status && delivery_status === 'failed')
      announce('The last attempt failed.', 'bad');
    else if (current.attempts < attempts && delivery_status === 'pending') announce('An attempt failed.', 'bad');
  }, [status, delivery_status, attempts]);
}
