import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { numberText } from '../../components/number-text.ts';
import styles from './audit.module.css';
import type { Entry } from './audit-types.ts';

/** Details that say in a few words what an entry is about, in this order. The rest stands below the entry. */
const shownKeys = [
  ...['name', 'destination_type', 'reason', 'error', 'job_action', 'kind', 'matched', 'replayed', 'resumed', 'deleted'],
  ...['older_than_days', 'calls', 'code'],
];

/** What an entry is about: the event or account with a link, and what was changed. */
export function EntrySubject({ entry: { details }, names }: { entry: Entry; names: ReadonlyMap<string, string> }) {
  const { event_id, account_id, changed, provider, account_slug } = details;
  const isNamed = typeof account_id === 'string' && names.has(account_id);
  return (
    <>
      {typeof event_id === 'string' && <EventLink id={event_id} />}
      {typeof account_id === 'string' && <AccountLink id={account_id} names={names} />}
      {!isNamed && typeof account_slug === 'string' && (
        <Part name="">
          <code>
            {String(provider ?? '')}/{account_slug}
          </code>
        </Part>
      )}
      {Array.isArray(changed) && changed.length > 0 && <Part name="changed">{changed.map(String).join(', ')}</Part>}
      {shownKeys.map((key) => {
        const value = details[key];
        if (typeof value !== 'string' && typeof value !== 'number') return null;
        return (
          <Part key={key} name={key === 'name' || key === 'code' ? '' : key.replaceAll('_', ' ')}>
            {typeof value === 'number' ? numberText(value) : value}
          </Part>
        );
      })}
    </>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className={styles.part}>
      {name !== '' && <span className="aside">{name} </span>}
      <bdi>{children}</bdi>
    </span>
  );
}

/** An event by its id. */
export const EventLink = ({ id }: { id: string }) => (
  <Link to="/events/$eventId" params={{ eventId: id }} className={styles.id}>
    {id}
  </Link>
);

/** An account by provider and slug, or by its id when it is deleted. */
export const AccountLink = ({ id, names }: { id: string; names: ReadonlyMap<string, string> }) => (
  <Link to="/accounts/$accountId" params={{ accountId: id }} className={styles.id}>
    <bdi>{names.get(id) ?? id}</bdi>
  </Link>
);
