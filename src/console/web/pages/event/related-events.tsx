import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answer, api } from '../../api/client.ts';
import type { EventDetails } from '../../api/types.ts';
import { EventBadge } from '../../components/badge.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/page.tsx';

/**
 * Other events of the account with the same external id: the provider has sent it more than once, over days. Those of the
 * same webhook are shown by their consumers.
 */
export function RelatedEvents({ event }: { event: EventDetails }) {
  const { id, request_id, provider, account_slug, external_id } = event;
  const { data } = useQuery({
    queryKey: ['related-events', id],
    queryFn: ({ signal }) =>
      answer(api.events.get({ query: { provider, account_slug, external_id, limit: 20 }, fetch: { signal } })),
    staleTime: 30_000,
  });
  const others = (data ?? []).filter((other) => other.request_id !== request_id);
  if (others.length === 0) return null;
  return (
    <Panel title="Other events of this external id">
      <ul className="lines">
        {others.map((other) => (
          <li key={other.id} className="line">
            <EventBadge {...other} />
            <Link to="/events/$eventId" params={{ eventId: other.id }}>
              <Moment iso={other.received_at} />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
