import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { stateText } from '../../../../events/event-state.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { EventDetails } from '../../api/types.ts';
import { announce } from '../../components/announce.ts';
import { EventBadge } from '../../components/badge.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { OpenIncidents } from '../incidents/open-incidents.tsx';
import { EventActions } from './actions/event-actions.tsx';
import { LastAnswer } from './answer/last-answer.tsx';
import { ConsumersPanel } from './consumers-panel.tsx';
import styles from './event.module.css';
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
  if (data) return <Event key={data.id} event={data} />;
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
      tabTitle={`${stateText(event)}: ${name.slice(0, 60)}`}
      aside={<EventBadge {...event} />}
    >
      <EventNotice event={event} />
      {!isRefused(event) && (
        <Panel title="Last answer">
          <div className={styles.lead}>
            <LastAnswer event={event} />
            <EventActions event={event} />
          </div>
        </Panel>
      )}
      {mayBeOfIncident(event) && <OpenIncidents {...ofIncidents(event)} />}
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
const isRefused = ({ state }: EventDetails) => state === 'rejected' || state === 'skipped';

/** Whether the event fails, or was rejected. */
const mayBeOfIncident = ({ delivery_status, attempts, status }: EventDetails) =>
  status === 'rejected' || delivery_status === 'failed' || (delivery_status === 'pending' && attempts > 0);

/** Which incidents the event may be part of. */
const ofIncidents = ({ account_id, status, consumer }: EventDetails) =>
  status === 'rejected'
    ? ({ accountId: account_id, kind: 'rejections' } as const)
    : ({ accountId: account_id, kind: 'delivery', consumer } as const);

/** Announces each change of the delivery while the page is open. */
function useAnnouncedState({ state, attempts }: EventDetails): void {
  const before = useRef({ state, attempts });
  useEffect(() => {
    const { current } = before;
    before.current = { state, attempts };
    if (current.state !== state && state === 'delivered') announce('Delivered.', 'good');
    else if (current.state !== state && state === 'exhausted') announce('The last attempt failed.', 'bad');
    else if (current.attempts < attempts && state === 'retrying') announce('An attempt failed.', 'bad');
  }, [state, attempts]);
}
