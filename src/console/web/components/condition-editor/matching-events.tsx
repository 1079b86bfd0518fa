import { Link } from '@tanstack/react-router';
import type { EventItem } from '../../api/types.ts';
import { EventBadge } from '../badge.tsx';
import { Moment } from '../moment.tsx';
import styles from './condition-editor.module.css';

/** Events that a condition matches. They open in a new tab, so that the form keeps what is written in it. */
export function MatchingEvents({ title, events }: { title: string; events: readonly EventItem[] }) {
  return (
    <details>
      <summary>{title}</summary>
      <ul className={styles.events}>
        {events.map((event) => (
          <li key={event.id}>
            {/* Without an opener, the new tab would not get the token of this one. */}
            <Link to="/events/$eventId" params={{ eventId: event.id }} target="_blank" rel="opener">
              <bdi>{event.event_type ?? 'no type'}</bdi>
              <span className="visually-hidden"> (opens a new tab)</span>
            </Link>
            <EventBadge {...event} />
            <span className={styles.when}>
              {event.response_code !== null && `${event.response_code} · `}
              <Moment iso={event.received_at} ago />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
