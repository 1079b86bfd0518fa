import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { answer, api } from './client.ts';
import { token } from './token.ts';

/** The token of this tab, or null when the user is signed out. */
export const useToken = () => useSyncExternalStore(token.subscribe, token.get);

/**
 * How often it is read again while a token with a scope is used: it shows whether the gateway answers, as the statistics do for
 * others. After a failed call it is read again for every token, because buttons depend on it.
 */
const everyMs = 5_000;

/** Name, role and scope of the token in use. */
export const useSession = () =>
  useQuery({
    queryKey: ['me', useToken()],
    queryFn: ({ signal }) => answer(api.me.get({ fetch: { signal } })),
    staleTime: 60_000,
    // One more component that uses it would begin a new call, and hide the error until its end.
    retryOnMount: false,
    refetchInterval: ({ state }) => (state.status === 'error' || state.data?.scope ? everyMs : false),
  });

const ranks = { read: 0, operate: 1, admin: 2 } as const;

/** Whether the token in use has at least this role. While that is unknown, it has not. */
export function useMay(role: keyof typeof ranks): boolean {
  const { data } = useSession();
  return data !== undefined && ranks[data.role] >= ranks[role];
}

/**
 * Whether the token in use sees the whole gateway and not only some accounts. While the gateway does not answer, it counts as
 * one that does, so that what it asks for shows the outage.
 */
export function useSeesAll(): boolean {
  const { data, isError } = useSession();
  return data === undefined ? isError : data.scope === null;
}
