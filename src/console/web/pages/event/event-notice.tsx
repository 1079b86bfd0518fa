import { Link } from '@tanstack/react-router';
import type { EventDetails } from '../../api/types.ts';
import { MarkedText } from '../../components/marked-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { Notice } from '../../components/notice.tsx';
import { adviceOn } from '../../components/rejection-reasons.ts';

/** What an operator should know of an event first: why it is not delivered, or its last error. */
export function EventNotice({ event }: { event: EventDetails }) {
  const { rejection_reason: reason, last_error: error, delivery_status, skipped_reason, backfilled_at } = event;
  if (reason !== null)
    return (
      <Notice tone="bad">
        <span>
          <strong>Rejected: {reason}.</strong> <MarkedText text={adviceOn(reason) ?? ''} /> The webhook is stored for
          inspection and never delivered. <ToAccount event={event} />
        </span>
      </Notice>
    );
  if (skipped_reason !== null) return <Skipped event={event} />;
  return (
    <>
      {error !== null && delivery_status !== 'delivered' && (
        <Notice tone={delivery_status === 'failed' || event.status === 'dead' ? 'bad' : 'open'}>
          <span>
            <strong>Last error:</strong> <bdi>{error}</bdi>
          </span>
        </Notice>
      )}
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

function Skipped({ event }: { event: EventDetails }) {
  const { unmatched, siblings } = event;
  return (
    <Notice tone="open">
      <span>
        <strong>No consumer matched.</strong> The webhook is stored, and went to nobody:{' '}
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
