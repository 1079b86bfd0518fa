import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answer, answerWithHeaders, api } from '../../api/client.ts';
import { isReading } from './actions.ts';
import type { AuditFilters, Entry } from './audit-types.ts';

const pageSize = 100;
/** Changes are rare among reads, so more entries are looked through for them: the most that the API gives at once. */
const lookedThrough = 1_000;
/** Entries after which the page looks no further by itself. */
const enough = 25;
/** Pages that it looks through by itself: some 100 ms each. */
const maxPages = 5;

const everyMs = 30_000;
const whileAwayMs = 5_000;

interface Page {
  entries: Entry[];
  looked: number;
  /** The time of the oldest entry that was looked at. */
  oldest: string | null;
  /** The cursor of the next page, or null at the end. */
  next: string | null;
}

/**
 * Whether calls that only read, and wrong tokens, are left out. Reads are left out here, because the API leaves them out for
 * one event only.
 */
export const leavesOutReads = ({ action, event_id, show }: AuditFilters) =>
  show !== 'all' && action === undefined && event_id === undefined;

async function readPage(filters: AuditFilters, before: string | null, signal: AbortSignal): Promise<Page> {
  const { show, ...others } = filters;
  const isLookingThrough = leavesOutReads(filters);
  const isOfEvent = filters.event_id !== undefined && filters.action === undefined && show !== 'all';
  const query = {
    ...others,
    ...(isOfEvent ? { reads: 'false' as const } : {}),
    // A flood of them would fill the page.
    ...(isLookingThrough ? { wrong_tokens: 'false' as const } : {}),
    ...(before === null ? {} : { before }),
    limit: isLookingThrough ? lookedThrough : pageSize,
  };
  const { data, headers } = await answerWithHeaders(api['audit-logs'].get({ query, fetch: { signal } }));
  return {
    entries: isLookingThrough ? data.filter(({ action }) => !isReading(action)) : data,
    looked: data.length,
    oldest: data.at(-1)?.timestamp ?? null,
    next: headers.has('link') ? (data.at(-1)?.id ?? null) : null,
  };
}

/** The entries that match, newest first, page by page. */
export function useAuditLog(filters: AuditFilters) {
  const query = useInfiniteQuery({
    queryKey: ['audit-log', filters],
    queryFn: ({ pageParam, signal }) => readPage(filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // More than one page is not read again by itself: it would be read whole.
    refetchInterval: ({ state }) => (state.error ? whileAwayMs : (state.data?.pages.length ?? 0) > 1 ? false : everyMs),
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= 1,
  });
  const pages = query.data?.pages ?? [];
  const entries = pages.flatMap((page) => page.entries);
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const looksFurther =
    leavesOutReads(filters) && hasNextPage && !isError && pages.length < maxPages && entries.length < enough;
  useEffect(() => {
    if (looksFurther && !isFetching) void fetchNextPage();
  }, [looksFurther, isFetching, fetchNextPage]);
  return {
    ...query,
    entries,
    looksFurther,
    looked: pages.reduce((sum, page) => sum + page.looked, 0),
    oldest: pages.at(-1)?.oldest ?? null,
  };
}

/** Counts of the log, with the values that filters can have. */
export const useAuditStatistics = () =>
  useQuery({
    queryKey: ['audit-stats'],
    queryFn: ({ signal }) => answer(api['audit-logs'].stats.get({ fetch: { signal } })),
    // It reads the whole log.
    staleTime: 60_000,
  });
