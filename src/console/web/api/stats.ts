import { useQuery } from '@tanstack/react-query';
import { answer, api } from './client.ts';
import { useLatestError } from './latest-error.ts';
import { useSeesAll } from './session.ts';

/** How often the state of the gateway is read, also while it is away. */
const everyMs = 5_000;

/** The key of the statistics, for pages that change them. */
export const statsKey = ['stats'];

/** The statistics of deliveries, renewed every few seconds; none for a token with a scope. */
export function useStats() {
  const seesAll = useSeesAll();
  const query = useQuery({
    queryKey: statsKey,
    enabled: seesAll,
    queryFn: ({ signal }) => answer(api.delivery.stats.get({ query: {}, fetch: { signal } })),
    refetchInterval: everyMs,
    retry: false,
  });
  const { data, refetch } = query;
  return { data, refetch, error: useLatestError(query) };
}

export type Stats = NonNullable<ReturnType<typeof useStats>['data']>;
