import type { Treaty } from '@elysia/eden';
import { useQuery } from '@tanstack/react-query';
import { answer, api } from './client.ts';

/** What fails, or has failed: one of a consumer with its cause, of the rejected webhooks of an account, or of the gateway. */
export type Incident = Treaty.Data<typeof api.incidents.get>[number];
export type IncidentFilters = NonNullable<Parameters<typeof api.incidents.get>[0]>['query'];

/** The states of what has not ended. */
export const openStates: ('open' | 'acknowledged')[] = ['open', 'acknowledged'];

/** The key of all incidents, for what changes them. */
export const incidentsKey = ['incidents'];

/** The gateway counts the events of each incident, so many incidents are read less often. */
const everyMsOf = (incidents: number) => (incidents > 200 ? 60_000 : incidents > 20 ? 15_000 : 5_000);
/** Incidents change within seconds while an operator looks at one. */
const oneEveryMs = 3_000;

/** The incidents that match, newest first, renewed while the page is visible. */
export const useIncidents = (query: IncidentFilters, { isOn = true } = {}) =>
  useQuery({
    queryKey: [...incidentsKey, query],
    queryFn: ({ signal }) => answer(api.incidents.get({ query, fetch: { signal } })),
    enabled: isOn,
    refetchInterval: ({ state }) => everyMsOf(state.data?.length ?? 0),
  });

/** One incident, renewed while the page is visible. */
export const useIncident = (id: string) =>
  useQuery({
    queryKey: [...incidentsKey, id],
    queryFn: ({ signal }) => answer(api.incidents({ incident_id: id }).get({ fetch: { signal } })),
    refetchInterval: oneEveryMs,
  });

/** Whether it has not ended, acknowledged or not. */
export const isOpen = ({ state }: Pick<Incident, 'state'>) => state !== 'resolved';

/** The events that still wait or are exhausted. Null for an incident without events. */
export const leftOf = ({ waiting, exhausted }: Pick<Incident, 'waiting' | 'exhausted'>) =>
  waiting === null || exhausted === null ? null : waiting + exhausted;
