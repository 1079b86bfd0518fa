import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Account } from '../../../api/types.ts';
import { Badge } from '../../../components/badge.tsx';
import { Moment } from '../../../components/moment.tsx';
import { counted, percentText } from '../../../components/number-text.ts';
import { ToCopy } from '../../../components/to-copy.tsx';
import { type Consumer, defaultName } from './consumer-types.ts';
import styles from './consumers.module.css';
import { useConsumerDay, useLastDelivered } from './use-consumer-figures.ts';

/** A consumer's name and state. */
export function ConsumerHead({ consumer }: { consumer: Consumer }) {
  const { name, enabled, has_secret, signature, paused } = consumer;
  return (
    <div className="line">
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <Badge state={enabled ? 'on' : 'disabled'} label={enabled ? 'enabled' : 'disabled'} />
      {paused && <Badge state="paused" />}
      <span className="aside">{has_secret || signature !== null ? 'signed' : 'not signed'}</span>
    </div>
  );
}

/** A consumer in a few lines: its address, which webhooks it gets, and how it fares. */
export function ConsumerFacts({ account, consumer }: { account: Account; consumer: Consumer }) {
  const { name, url, condition, paused } = consumer;
  return (
    <div className={styles.facts}>
      <p className={styles.target}>
        <bdi>{url ?? 'no delivery URL'}</bdi>
      </p>
      <p className={styles.condition}>
        <span className="aside">{condition === null ? 'all webhooks' : 'when '}</span>
        {condition !== null && <code>{condition}</code>}
        {condition === null && name === defaultName && url === null && (
          <span className="aside">, once the account has a delivery URL</span>
        )}
      </p>
      <Reached consumer={consumer} />
      {consumer.public_key !== null && <ToCopy label="Public key" text={consumer.public_key} />}
      {paused && (
        <p className="aside">
          Paused since <Moment iso={paused.since} />
          {paused.reason !== null && (
            <>
              : <bdi>{paused.reason}</bdi>
            </>
          )}
        </p>
      )}
      <Figures account={account} name={name} />
    </div>
  );
}

/** What of its deliveries differs from the usual; nothing for most consumers. */
function Reached({ consumer }: { consumer: Consumer }) {
  const { headers, authentication, ca, signature, timeout, schedule, success, final } = consumer;
  const { secret_previous_expires_at: previousEnd } = consumer;
  const names = Object.keys(headers);
  const parts = [
    authentication && `authentication: ${authentication.type}`,
    authentication?.expires_at && (
      <>
        certificate until <Moment iso={authentication.expires_at} />
      </>
    ),
    ca !== null && 'private authority',
    signature === 'unreadable' && 'signature: unreadable',
    previousEnd !== null && (
      <>
        two signatures until <Moment iso={previousEnd} />
      </>
    ),
    names.length > 0 && `headers: ${names.join(', ')}`,
    timeout !== null && `timeout ${timeout}`,
    schedule && (schedule.length === 0 ? 'no retries' : `retries after ${schedule.join(', ')}`),
    success && `delivered with ${success.join(', ')}`,
    final && `final: ${final.join(', ')}`,
  ].filter(Boolean);
  return parts.length === 0 ? null : <Dotted parts={parts} />;
}

/** Parts of a line with dots between them. */
const Dotted = ({ parts }: { parts: readonly ReactNode[] }) => (
  <p className="aside">
    {parts.map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity other than their place
      <Fragment key={index}>
        {index > 0 && ' · '}
        {part}
      </Fragment>
    ))}
  </p>
);

function Figures({ account, name }: { account: Account; name: string }) {
  const { data: day } = useConsumerDay(account.id, name);
  const { data: last } = useLastDelivered(account, name, day?.hasSuccess === true);
  const { provider, account_slug } = account;
  const parts = [
    day?.hasSuccess === false && 'No success in the last 24 hours',
    last && (
      <>
        Last success{' '}
        <Link to="/events/$eventId" params={{ eventId: last.id }}>
          <Moment iso={last.delivered_at} ago />
        </Link>
      </>
    ),
    day?.hour && (
      <span title="The attempts of the present hour of the clock, or of the one before while there are none">
        {percentText(day.hour.delivered / day.hour.attempts)} of {counted(day.hour.attempts, 'attempt')} in the last
        hour
      </span>
    ),
    <Link key="waiting" to="/events" search={{ provider, account_slug, consumer: name, delivery_status: 'pending' }}>
      waiting and retrying events
    </Link>,
  ].filter(Boolean);
  return <Dotted parts={parts} />;
}
