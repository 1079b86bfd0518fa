import type { Incident } from '../../api/incidents.ts';
import { onDemand } from '../../components/on-demand.tsx';

/** Loaded when it is asked for, so that the overview is there sooner. */
const ReplayAtPace = onDemand('replay-at-pace', async () => (await import('../jobs/replay-at-pace.tsx')).ReplayAtPace);

/** So slow that a service that has just recovered takes it, and 10,000 events still end within an hour. */
const proposedPerSecond = 5;

/** Orders a replay of what an incident has left: the events that wait or are exhausted. */
export const ReplayIncident = ({ incident, onCancel }: { incident: Incident; onCancel(): void }) => (
  <ReplayAtPace filter={{ incident: incident.id }} perSecond={proposedPerSecond} onCancel={onCancel} />
);
