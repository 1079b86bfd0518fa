import type { NamedGatewayCause } from '../../../../incidents/gateway-cause.ts';
import type { Filters } from '../../api/filters.ts';

/** A page of the console that shows more of a cause. */
interface Place {
  name: string;
  to: '/accounts' | '/backups' | '/events' | '/maintenance';
  search?: Filters;
}

const maintenance: Place = { name: 'Maintenance', to: '/maintenance' };

// Apart from the advice, because the overview needs only this.
const places: Record<NamedGatewayCause, Place | null> = {
  'Temporal does not answer': maintenance,
  'the database did not answer': null,
  'the database is slow': null,
  'no worker runs': maintenance,
  'starts of workflows fall behind': maintenance,
  'an event has been pending for more than 4.5 hours': {
    name: 'Waiting events',
    to: '/events',
    search: { delivery_status: 'pending' },
  },
  'no backup has completed for 36 hours': { name: 'Backups', to: '/backups' },
  'tables for fewer than 3 days are prepared': maintenance,
  'a client certificate of a consumer expires within 14 days': { name: 'Accounts', to: '/accounts' },
};

const byCause = new Map<string, Place | null>(Object.entries(places));

/** Where the console shows more of an incident of the gateway itself; null where it shows nothing of it. */
export const placeOfGateway = (cause: string): Place | null => byCause.get(cause) ?? null;
