import type { Incident } from '../../api/incidents.ts';
import { Badge } from '../../components/badge.tsx';

/** Whether a person has to look at it. */
export function IncidentState({ incident: { state } }: { incident: Pick<Incident, 'state'> }) {
  if (state === 'open') return <Badge state="failed" label="open" />;
  if (state === 'acknowledged') return <Badge state="pending" label="acknowledged" />;
  return <Badge state="done" label="over" />;
}
