import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { stateText } from '../../../../events/event-state.ts';
import type { EventDetails } from '../../api/types.ts';
import { AccountLink } from '../../components/account-name.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Moment } from '../../components/moment.tsx';
import { byteText } from '../../components/number-text.ts';
import { Facts, Panel } from '../../components/page.tsx';
import styles from './event.module.css';

/** What is known of an event. */
export function FactsPanel({ event }: { event: EventDetails }) {
  return (
    <Panel title="Event">
      <Facts
        rows={{
          Account: <AccountLink of={event} />,
          Consumer: event.delivery_status === null ? null : <bdi>{event.consumer}</bdi>,
          App: <bdi>{event.app_key}</bdi>,
          'Event type': <bdi>{event.event_type ?? 'none'}</bdi>,
          Received: <Moment iso={event.received_at} />,
          'Made by a backfill': event.backfilled_at && <Moment iso={event.backfilled_at} />,
          'Bulk job': event.bulk_job_id && (
            <Link to="/jobs/$jobId" params={{ jobId: event.bulk_job_id }}>
              The last one that changed it
            </Link>
          ),
          Delivered: event.delivered_at && <Moment iso={event.delivered_at} />,
          State: stateText(event),
          'In the API': <code>{`${event.status} / ${event.delivery_status}`}</code>,
          Generation: event.generation === 0 ? null : `${event.generation} (replayed)`,
          Payload: byteText(event.payload_bytes),
          'Event id': <Id name="event id" text={event.id} />,
          'Request id': event.request_id === event.id ? null : <Id name="request id" text={event.request_id} />,
          'External id': <Id name="external id" text={event.external_id} />,
          'Payload’s SHA-256': <Id name="hash" text={event.payload_sha256} />,
          Workflow: <Workflow workflow={event.workflow} />,
        }}
      />
    </Panel>
  );
}

function Id({ name, text }: { name: string; text: string }) {
  return (
    <span className={styles.id}>
      <code>
        <bdi>{text}</bdi>
      </code>
      <CopyButton text={text} name={name} />
    </span>
  );
}

function Workflow({ workflow }: { workflow: EventDetails['workflow'] }) {
  if (!workflow) return 'none in Temporal';
  if (!workflow.url || !/^https?:/i.test(workflow.url)) return <code>{workflow.id}</code>;
  return (
    <a href={workflow.url} target="_blank" rel="noopener noreferrer">
      Open in Temporal <ExternalLink />
    </a>
  );
}
