import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';
import type { Filters } from '../../api/filters.ts';
import { counted } from '../../components/number-text.ts';
import { orderedPace, type Pace } from '../../components/pace-field.tsx';
import { useAction } from '../../components/use-action.ts';
import { type BulkAction, bulkActions, isPaced } from '../events/bulk/bulk-actions.ts';
import { jobsKey } from './use-job.ts';

/** What a job is ordered for: the given events, or everything that the filters find. */
export type BulkScope = { ids: readonly string[] } | { filters: Filters };

/** What is ordered: that of the count, also if another scope was chosen since. The pace counts only for actions that make attempts. */
interface BulkOrder {
  counted: Counted;
  pace: Pace;
  /** Empty: none is given. */
  reason: string;
}

/** How many events an order would change; not exact where there are too many to count. */
export interface Counted {
  action: BulkAction;
  scope: BulkScope;
  matched: number;
  exact: boolean;
  /** How many the filters find that are left out: a person has acknowledged them or declared them dead. */
  left_out: number;
}

/** How many events a count has found: `12 events`, `more than 10,000 events`. */
export const eventsText = ({ exact, matched }: Counted): string =>
  `${exact ? '' : 'more than '}${counted(matched, 'event')}`;

/** The calls of a bulk order: the count of its events, and the order of its job. */
export function useBulkOrder(
  scope: BulkScope,
  on: { counted?(counted: Counted): void; ordered?(job: { id: string }): void; end?(): void } = {},
) {
  const count = useMutation({
    mutationFn: async (action: BulkAction): Promise<Counted> => {
      if ('ids' in scope) return { action, scope, matched: scope.ids.length, exact: true, left_out: 0 };
      const found = await answer(api.events.bulk.post({ action, ...target(scope), dry_run: true }));
      if (!('dry_run' in found)) throw new Error('the gateway has answered a dry run with a job');
      return { action, scope, ...found };
    },
    ...(on.counted ? { onSuccess: on.counted } : {}),
  });
  const order = useAction({
    call: async ({ counted: { action, scope: ofCount }, pace, reason }: BulkOrder) => {
      const paced = isPaced(action) ? orderedPace(pace) : {};
      const given = { ...paced, ...because(action, reason.trim()) };
      const job = await answer(api.events.bulk.post({ action, ...target(ofCount), ...given }));
      if (!('id' in job)) throw new Error('the gateway has answered an order with a count');
      on.ordered?.(job);
      return job;
    },
    done: ({ counted: { action } }) => `${bulkActions[action].noun} ordered.`,
    changes: jobsKey,
    ...(on.end ? { onEnd: on.end } : {}),
  });
  return { count, order };
}

/** The field of the order that has its events. */
const target = (scope: BulkScope) => ('ids' in scope ? { ids: [...scope.ids] } : { filter: scope.filters as object });

/** The field of the order that has the reason, if one is given. */
function because(action: BulkAction, reason: string) {
  if (reason === '') return {};
  return action === 'dead' ? { error: reason } : { reason };
}
