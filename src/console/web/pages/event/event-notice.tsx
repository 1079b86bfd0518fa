import { Link } from '@tanstack/react-router';
import type { EventDetails } from '../../api/types.ts';
import { MarkedText } from '../../components/marked-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { Notice } from '../../components/notice.tsx';
import { adviceOn } from '../../components/rejection-reasons.ts';
import { CheckAgain } from '../rejected/check-again.tsx';

/** What an operator should know of an event first: why it is not delivered, or that a backfill has made it. */
export function EventNotice({ event }: { event: EventDetails }) {
  const { rejection_reason: reason, skipped_reason, backfilled_at, rejected_event_id } = event;
  if (reason !== null)
    return (
      <Notice tone="bad">
        <span>
          <strong>Rejected: {event.rejection_explanation}</strong> <MarkedText text={adviceOn(reason) ?? ''} /> The
          webhook is stored for inspection and never delivered. <ToAccount event={event} />
          <Checked event={event} />
        </span>
      </Notice>
    );
  if (skipped_reason !== null) return <Skipped event={event} />;
  return (
    <>
      {rejected_event_id !== null && <OfRejected rejectedId={rejected_event_id} receivedAt={event.received_at} />}
      {backfilled_at !== null && (
        <Notice>
          <span>
            A backfill of <bdi>{event.consumer}</bdi> has made this event <Moment iso={backfilled_at} ago />, of a
            webhook that was stored before.
          </span>
        </Notice>
      )}
    </>
  );
}

/** What a check has found, or the button that checks again, or why there is none. */
function Checked({ event: { id, rejection_check: check } }: { event: EventDetails }) {
  if (check === null) return null;
  if (check.event_id !== null)
    return (
      <p>
        A check {check.checked_at !== null && <Moment iso={check.checked_at} ago />} has verified it:{' '}
        <Link to="/events/$eventId" params={{ eventId: check.event_id }}>
          to the event
        </Link>
      </p>
    );
  return check.not_checkable === null ? (
    <CheckAgain eventId={id} />
  ) : (
    <p>Not to be checked again. {check.explanation}</p>
  );
}

function OfRejected({ rejectedId, receivedAt }: { rejectedId: string; receivedAt: string }) {
  return (
    <Notice>
      <span>
        A check has made this event <Moment iso={receivedAt} ago />, of a webhook that was rejected before.{' '}
        <Link to="/events/$eventId" params={{ eventId: rejectedId }}>
          To the rejected webhook
        </Link>
      </span>
    </Notice>
  );
}

function Skipped({ event }: { event: EventDetails }) {
  const { unmatched, siblings } = event;
  return (
    <Notice tone="open">
      <span>
        <strong>No consumer matched.</strong> The webhook is stored, and no consumer got it:{' '}
        {unmatched.length === 0 ? (
          'all consumers of the account were disabled'
        ) : (
          <>
            the {unmatched.length === 1 ? 'condition' : 'conditions'} of <bdi>{unmatched.join(', ')}</bdi> did not hold
          </>
        )}
        .{' '}
        {siblings.length === 0
          ? 'To deliver it after all, correct the consumer and backfill it.'
          : 'A backfill has made events of it since.'}{' '}
        <ToAccount event={event} />
      </span>
    </Notice>
  );
}

const ToAccount = ({ event }: { event: EventDetails }) => (
  <Link to="/accounts/$accountId" params={{ accountId: event.account_id }}>
    To the account
  </Link>
);
