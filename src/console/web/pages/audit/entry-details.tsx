import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Facts } from '../../components/page.tsx';
import { utcTime } from '../../components/time-text.ts';
import styles from './audit.module.css';
import type { Entry } from './audit-types.ts';
import { AccountLink, EventLink } from './entry-subject.tsx';

/** All that an entry says, with links that filter the log. */
export function EntryDetails({ entry, names }: { entry: Entry; names: ReadonlyMap<string, string> }) {
  const { id, actor, action, ip_address, timestamp, details } = entry;
  const rows: Record<string, ReactNode> = { time: utcTime(timestamp) };
  for (const [name, value] of Object.entries({ actor, action, ip_address }))
    rows[name] = <FilterLink name={name} value={value} />;
  for (const [name, value] of Object.entries(details)) {
    // The details of a refused call have an action, too: the one that was refused.
    const label = name in rows ? `${name} in the details` : name;
    rows[label] = <Value name={name} value={value} names={names} />;
  }
  rows['id of the entry'] = <code>{id}</code>;
  return <Facts id={`entry-${id}`} className={styles.details} rows={rows} />;
}

const FilterLink = ({ name, value }: { name: string; value: string }) => (
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
