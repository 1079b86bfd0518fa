import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';
import type { Filters } from '../../api/filters.ts';

/** Counting takes up to 3 s, so it is not repeated for each webhook of a flood. */
const everyMs = 15_000;

/** The filters of lists that the counts have, too. The others are about deliveries. */
const names = [
  ...([
    'app_key',
    'provider',
    'account_slug',
    'account_id',
    'event_type',
    'external_id',
    'since',
    'until',
    'incident',
  ] as const),
];

/** Rejected webhooks that match, by account and reason. */
export const useRejectedCounts = (filters: Filters) => {
  const query = Object.fromEntries(names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  return useQuery({
    queryKey: ['rejected-counts', query],
    // The API checks the values; those of an address may be anything.
    queryFn: ({ signal }) => answer(api.events.rejected.get({ query: query as object, fetch: { signal } })),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });
};

export type RejectedGroup = NonNullable<ReturnType<typeof useRejectedCounts>['data']>['groups'][number];
