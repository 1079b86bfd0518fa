import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../../api/accounts.ts';
import { answer, api } from '../../api/client.ts';
import { type RangeName, ranges } from './ranges.ts';

/** Between two readings of what describes the present. */
const everyMs = 5_000;

/** Counts and latencies over the range, in points. */
export const useSeries = (name: RangeName) =>
  useQuery({
    queryKey: ['delivery-series', name],
    queryFn: async ({ signal }) => {
      const { ms, step } = ranges[name];
      const from = new Date(Date.now() - ms).toISOString();
      const series = await answer(api.delivery.series.get({ query: { from, step }, fetch: { signal } }));
      return { ...series, range: name };
    },
    refetchInterval: ranges[name].everyMs,
    // The last range stays in place until the next one is there, under its own name.
    placeholderData: (before) => before,
  });
export type Series = NonNullable<ReturnType<typeof useSeries>['data']>;

/** The accounts with the most failed attempts in the range. */
export const useFailingAccounts = (name: RangeName) =>
  useQuery({
    queryKey: ['failing-accounts', name],
    queryFn: async ({ signal }) => {
      const hours = Math.ceil(ranges[name].ms / 3_600_000);
      const { accounts } = await answer(api.delivery.accounts.get({ query: { hours, limit: 10 }, fetch: { signal } }));
      return { range: name, accounts: accounts.filter(({ failed_attempts }) => failed_attempts > 0) };
    },
    refetchInterval: 2 * everyMs,
    placeholderData: (before) => before,
  });

export const useRetrying = () =>
  useQuery({
    queryKey: ['retrying'],
    queryFn: ({ signal }) => answer(api.delivery.retrying.get({ query: {}, fetch: { signal } })),
    refetchInterval: 2 * everyMs,
  });

/** Whether there is no account at all, so that the first steps are shown; undefined while that is unknown. */
export const useHasNoAccounts = () =>
  useQuery({
    ...accountsQuery,
    select: (accounts) => accounts.length === 0,
    refetchInterval: (query) => (query.state.data?.length === 0 ? everyMs : false),
  }).data;
