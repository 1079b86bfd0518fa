import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import type { Filters } from '../../../api/filters.ts';

/** A count may take 3 s of the database, so that it is not read with each new event; less often where it ends at its limit. */
const [everyMs, limitedMs] = [15_000, 60_000];

/** How many events match the filters, and when they were received. */
export const useEventCount = (filters: Filters) =>
  useQuery({
    queryKey: ['event-count', filters],
    queryFn: ({ signal }) => answer(api.events.count.get({ query: filters as object, fetch: { signal } })),
    refetchInterval: ({ state }) => (state.data?.exact === false ? limitedMs : everyMs),
    staleTime: everyMs,
  });
