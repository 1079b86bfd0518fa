import { Link } from '@tanstack/react-router';
import type { EventDetails } from '../../api/types.ts';
import { EventBadge } from '../../components/badge.tsx';
import { Panel } from '../../components/page.tsx';

/** What the other consumers of the account made of the same webhook: their events, and whose condition did not hold. */
export function ConsumersPanel({ event }: { event: EventDetails }) {
  const { siblings } = event;
  // A backfill may have made an event later. Of a skipped webhook, the notice has them.
  const names = [event.consumer, ...siblings.map(({ consumer }) => consumer)];
  const unmatched = event.skipped_reason === null ? event.unmatched.filter((name) => !names.includes(name)) : [];
  if (siblings.length === 0 && unmatched.length === 0) return null;
  return (
    <Panel title="Other consumers of this webhook">
      <ul className="lines" aria-label="Other consumers">
        {siblings.map((sibling) => (
          <li key={sibling.id} className="line">
            <EventBadge {...sibling} />
            <Link to="/events/$eventId" params={{ eventId: sibling.id }}>
              <bdi>{sibling.state === 'skipped' ? 'no consumer matched at first' : sibling.consumer}</bdi>
            </Link>
          </li>
        ))}
        {unmatched.map((name) => (
          <li key={name} className="line">
            <span>
              <bdi>{name}</bdi> <span className="aside">got no event: its condition did not hold</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
