import { Link } from '@tanstack/react-router';
import type { Account, EventItem } from '../../../api/types.ts';
import { EventBadge } from '../../../components/badge.tsx';
import { MarkedText } from '../../../components/marked-text.tsx';
import { Moment } from '../../../components/moment.tsx';
import { adviceOn } from '../../../components/rejection-reasons.ts';
import styles from './guide.module.css';

/** A webhook that arrived, and how its delivery goes or why it was rejected. */
export function ArrivedWebhook({ event, account }: { event: EventItem; account: Account }) {
  return (
    <article className={styles.arrived}>
      <p className="line">
        <EventBadge {...event} />
        <Link to="/events/$eventId" params={{ eventId: event.id }}>
          <bdi>{event.event_type ?? event.external_id}</bdi>
        </Link>
        <span className="aside">
          <Moment iso={event.received_at} />
        </span>
      </p>
      <p>
        <Outcome event={event} account={account} />
      </p>
    </article>
  );
}

function Outcome({ event, account }: { event: EventItem; account: Account }) {
  const { state, rejection_reason, attempts, last_error, next_attempt_at, response_code } = event;
  if (state === 'rejected')
    return (
      <>
        Rejected (<code>{rejection_reason}</code>):{' '}
        <MarkedText text={adviceOn(rejection_reason ?? '') ?? 'The webhook could not be verified.'} />
      </>
    );
  if (state === 'delivered') {
    return (
      <>
        Verified, stored, and accepted by <bdi>{account.delivery_url ?? account.project_delivery_url}</bdi>
        {response_code !== null && <> with {response_code}</>}.
      </>
    );
  }
  if (attempts === 0) return <>Verified and stored. The first attempt is being made.</>;
  return (
    <>
      Verified and stored, but the consumer did not accept it: <bdi>{last_error}</bdi>.{' '}
      {next_attempt_at !== null && (
        <>
          Next attempt <Moment iso={next_attempt_at} ago />.
        </>
      )}
    </>
  );
}
