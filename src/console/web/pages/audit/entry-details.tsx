import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { utcTime } from '../../components/time-text.ts';
import styles from './audit.module.css';
import type { Entry } from './audit-types.ts';
import { AccountLink, EventLink } from './entry-subject.tsx';

/** All that an entry says, with links that filter the log. */
export function EntryDetails({ entry, names }: { entry: Entry; names: ReadonlyMap<string, string> }) {
  const { id, actor, action, ip_address, timestamp, details } = entry;
  return (
    <dl id={`entry-${id}`} className={styles.details}>
      <Row name="time">{utcTime(timestamp)}</Row>
      <Row name="actor">
        <FilterLink name="actor" value={actor} />
      </Row>
      <Row name="action">
        <FilterLink name="action" value={action} />
      </Row>
      <Row name="ip_address">
        <FilterLink name="ip_address" value={ip_address} />
      </Row>
      {Object.entries(details).map(([name, value]) => (
        <Row key={name} name={name}>
          <Value name={name} value={value} names={names} />
        </Row>
      ))}
      <Row name="id of the entry">
        <code>{id}</code>
      </Row>
    </dl>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const FilterLink = ({ name, value }: { name: 'actor' | 'action' | 'ip_address'; value: string }) => (
  <Link to="/audit" search={{ [name]: value }} title={`Only entries with this ${name}`}>
    <bdi>{value}</bdi>
  </Link>
);

function Value({ name, value, names }: { name: string; value: unknown; names: ReadonlyMap<string, string> }) {
  if (name === 'event_id' && typeof value === 'string') return <EventLink id={value} />;
  if (name === 'account_id' && typeof value === 'string') return <AccountLink id={value} names={names} />;
  if (typeof value === 'string') return <bdi>{value}</bdi>;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return <bdi>{value.join(', ')}</bdi>;
  return <code className={styles.json}>{JSON.stringify(value, null, 1)}</code>;
}
