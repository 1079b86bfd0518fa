import type { ReactNode } from 'react';
import type { Incident } from '../../api/incidents.ts';
import { AccountLink } from '../../components/account-name.tsx';
import { Moment } from '../../components/moment.tsx';
import { numberText } from '../../components/number-text.ts';
import { Facts, Panel } from '../../components/page.tsx';
import { limitedText } from './incident-counts.tsx';
import { EventsLink } from './incident-links.tsx';

/** What is known of an incident. */
export function IncidentFacts({ incident }: { incident: Incident }) {
  return (
    <Panel title="What is known">
      <Facts rows={factsOf(incident)} />
    </Panel>
  );
}

function factsOf(incident: Incident): Record<string, ReactNode> {
  const { kind, account_id, provider, account_slug, consumer, first_seen_at, last_seen_at, attempts } = incident;
  const isDelivery = kind === 'delivery';
  const list = (n: number | null, only: 'pending' | 'failed') =>
    n === null ? null : (
      <EventsLink incident={incident} only={only}>
        {limitedText(n)}
      </EventsLink>
    );
  return {
    Account:
      account_id === null || provider === null || account_slug === null ? null : (
        <AccountLink of={{ account_id, provider, account_slug }} />
      ),
    Consumer: isDelivery ? <bdi>{consumer ?? 'default'}</bdi> : null,
    Since: <Moment iso={first_seen_at} />,
    'Last seen': <Moment iso={last_seen_at} ago />,
    'Failed attempts': isDelivery ? numberText(attempts) : null,
    'Rejected webhooks': kind === 'rejections' ? numberText(attempts) : null,
    'Waiting for another attempt': list(incident.waiting, 'pending'),
    Exhausted: list(incident.exhausted, 'failed'),
  };
}
