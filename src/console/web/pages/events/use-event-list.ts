import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { answerWithHeaders, api } from '../../api/client.ts';
import type { Filters } from '../../api/filters.ts';
import { isOutage } from '../../api/problem.ts';
import type { EventItem } from '../../api/types.ts';
import type { LiveEvents } from './live/use-live-events.ts';

/** Rows of one answer. */
const pageSize = 100;
/** How often a list is read again that the stream does not follow. */
const unfollowedEveryMs = 10_000;
/** The same for a list of several pages, which are all read, one after the other. */
const pagesEveryMs = 60_000;

/** Whether the stream has the events of a list: those of an incident and of a cause are known to the database only. */
export const canFollow = ({ incident, cause }: Filters): boolean => incident === undefined && cause === undefined;
/** Whether a page follows a list when it opens: into one that ends at a time, nothing new comes. */
export const isFollowed = (filters: Filters): boolean => canFollow(filters) && filters.until === undefined;

const keyOf = (filters: Filters) => ['events', filters];

/** The position of the next page in the `Link` header of a list; null on the last page. */
function nextBefore(link: string | null): string | null {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  return target === undefined ? null : new URL(target, 'http://gateway').searchParams.get('before');
}

/** The events that match the filters, newest first, page by page. */
export const useEventList = (filters: Filters) =>
  useInfiniteQuery({
    queryKey: keyOf(filters),
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      // The API checks the values; those of an address may be anything.
      const query = { ...filters, limit: pageSize, ...(pageParam === null ? {} : { before: pageParam }) } as object;
      const { data, headers } = await answerWithHeaders(api.events.get({ query, fetch: { signal } }));
      return { events: data, next: nextBefore(headers.get('link')) };
    },
    getNextPageParam: ({ next }) => next,
    ...(isFollowed(filters) && { staleTime: Number.POSITIVE_INFINITY }),
    refetchInterval: isFollowed(filters)
      ? false
      : ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? pagesEveryMs : unfollowedEveryMs),
  });

/** Whether the next page can be read now: there is one, and no other call is in flight. After a failure that does not end by itself, the user asks for it. */
export const canLoadMore = ({ hasNextPage, isFetching, error }: ReturnType<typeof useEventList>): boolean =>
  hasNextPage && !isFetching && (error === null || isOutage(error));

/** Loads the beginning of a list again; rejects when that fails. Later pages are loaded when the user comes to them. */
export function useReloadedList(filters: Filters): () => Promise<void> {
  const client = useQueryClient();
  return () => {
    const queryKey = keyOf(filters);
    client.setQueryData<InfiniteData<unknown>>(
      queryKey,
      (before) => before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
    );
    return client.refetchQueries({ queryKey, exact: true }, { throwOnError: true });
  };
}

/**
 * The rows of loaded pages with what has changed since, newest first. Events that are new or begin to match are in their place among them.
 *
 * @param hasMore whether pages with older events are not loaded
 */
export function mergedRows(loaded: readonly EventItem[], live: LiveEvents, hasMore: boolean): EventItem[] {
  const known = new Set(loaded.map(({ id }) => id));
  // Ids are ordered by time. What is older than the loaded pages belongs to a later one.
  const oldest = hasMore ? (loaded.at(-1)?.id ?? '') : '';
  const added = [...live.changed.values()].filter(({ id }) => !known.has(id) && id > oldest);
  const rows = loaded.filter(({ id }) => !live.unmatched.has(id)).map((row) => live.changed.get(row.id) ?? row);
  return [...rows, ...added].sort((a, b) => (a.id < b.id ? 1 : -1));
}
