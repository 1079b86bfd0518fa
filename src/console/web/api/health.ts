import { useQuery } from '@tanstack/react-query';
import { answer, api } from './client.ts';
import { useLatestError } from './latest-error.ts';
import { useSeesAll } from './session.ts';

const everyMs = 10_000;
/** While it cannot be read, so that the end of an outage shows as soon as in the statistics. */
const whileFailingMs = 5_000;

/**
 * The health of the gateway; none for a token with a scope. Of the calls that the pages repeat, only this one fails while the
 * database answers and takes no writes.
 */
export function useHealth() {
  const seesAll = useSeesAll();
  const query = useQuery({
    queryKey: ['health'],
    enabled: seesAll,
    queryFn: ({ signal }) => answer(api.health.get({ query: {}, fetch: { signal } })),
    refetchInterval: ({ state }) => (state.status === 'error' ? whileFailingMs : everyMs),
    retry: false,
  });
  const { data, isSuccess, refetch } = query;
  return { data, isSuccess, refetch, error: useLatestError(query) };
}

export type Health = NonNullable<ReturnType<typeof useHealth>['data']>;
