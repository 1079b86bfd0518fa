import type { IncidentChange } from '../../incidents/incident.ts';
import type { DestinationKind } from '../destinations/destination-kinds.ts';
import type { SealedSettings } from '../destinations/sealed-settings.ts';
import { type Match, meetsCondition } from '../matching.ts';

/** An enabled destination of an account with incidents. */
export interface IncidentDestination extends SealedSettings {
  condition: string | null;
  kinds: string[];
}

export const kindOfChange = ({
  change,
}: Pick<IncidentChange, 'change'>): Exclude<DestinationKind, 'delivery.failed'> =>
  change === 'opened' ? 'incident.opened' : 'incident.resolved';

/**
 * Whether a destination is told of a change. Without a condition it gets all of its kinds. An incident has no event, so
 * conditions find no value for what only events have, as for a path that does not exist.
 */
export function matchIncident(destination: IncidentDestination, change: IncidentChange): Match {
  if (destination.account_id !== change.accountId || !destination.kinds.includes(kindOfChange(change)))
    return { ok: true, matches: false };
  const { provider, accountSlug: account_slug, appKey: app_key, consumer } = change;
  return destination.condition === null
    ? { ok: true, matches: true }
    : meetsCondition(destination.condition, { variables: { provider, account_slug, app_key, consumer } });
}
