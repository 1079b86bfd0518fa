import { type Incident, isOpen, leftOf } from '../../api/incidents.ts';
import { counted, numberText } from '../../components/number-text.ts';
import { EventsLink } from './incident-links.tsx';

/** Events are counted up to this number. */
const mostCounted = 10_000;

/** A number that stops at the limit of what is counted. */
export const limitedText = (n: number): string =>
  n >= mostCounted ? `${numberText(mostCounted)} or more` : numberText(n);

/**
 * `76 waiting, 3 exhausted`; of an incident that is over, `12 to replay`; each leads to exactly these events. Nothing where
 * events are not what is counted.
 */
export function IncidentCounts({ incident }: { incident: Incident }) {
  const { kind, attempts, waiting, exhausted } = incident;
  if (kind === 'rejections')
    return <EventsLink incident={incident}>{counted(attempts, 'rejected webhook')}</EventsLink>;
  const left = leftOf(incident);
  if (left === null) return null;
  if (!isOpen(incident))
    return left > 0 ? <EventsLink incident={incident}>{limitedText(left)} to replay</EventsLink> : null;
  return (
    <span>
      <EventsLink incident={incident} only="pending">
        {limitedText(waiting ?? 0)} waiting
      </EventsLink>
      ,{' '}
      <EventsLink incident={incident} only="failed">
        {limitedText(exhausted ?? 0)} exhausted
      </EventsLink>
    </span>
  );
}
