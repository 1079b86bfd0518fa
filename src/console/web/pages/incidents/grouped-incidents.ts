import { type Incident, isOpen, leftOf } from '../../api/incidents.ts';
import { causeOf } from './incident-words.ts';

/** The incidents of one consumer: they have the same events, so they stand in one line. */
export interface IncidentGroup {
  /** Stays the same while the causes change places. */
  key: string;
  incident: Incident;
  others: Incident[];
}

/** Events of the incident; of one without events, those that it has counted. */
const weightOf = (incident: Incident) => leftOf(incident) ?? incident.attempts;

/** First the gateway's own, which explain others; then open ones before those that are over, most events first. */
function compare(a: Incident, b: Incident): number {
  const gateway = Number(b.kind === 'gateway') - Number(a.kind === 'gateway');
  const open = Number(isOpen(b)) - Number(isOpen(a));
  return gateway || open || weightOf(b) - weightOf(a) || b.attempts - a.attempts;
}

/** One group for each consumer, in the order in which an operator looks at them. */
export function groupedIncidents(incidents: readonly Incident[]): IncidentGroup[] {
  const groups = new Map<string, IncidentGroup>();
  for (const incident of incidents.toSorted(compare)) {
    const { id, kind, account_id, consumer } = incident;
    const key = kind === 'delivery' ? `${account_id}/${consumer}` : id;
    const group = groups.get(key);
    if (group) group.others.push(incident);
    else groups.set(key, { key, incident, others: [] });
  }
  return [...groups.values()];
}

/** How many incidents have the same trouble: `answers 500`, 150 times. Most first. */
export function countedCauses(incidents: readonly Incident[]): { name: string; verb: string; n: number }[] {
  const counts = new Map<string, { name: string; verb: string; n: number }>();
  for (const incident of incidents) {
    const { name, verb } = causeOf(incident);
    const counted = counts.get(name) ?? { name, verb: verb[0], n: 0 };
    counted.n += 1;
    counts.set(name, counted);
  }
  return [...counts.values()].sort((a, b) => b.n - a.n);
}
