import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { answer, api } from './client.ts';
import { token } from './token.ts';

/** The token of this tab, or null when the user is signed out. */
export const useToken = () => useSyncExternalStore(token.subscribe, token.get);

/** Name and role of the token in use. */
export const useSession = () =>
  useQuery({
    queryKey: ['me', useToken()],
    queryFn: ({ signal }) => answer(api.me.get({ fetch: { signal } })),
    staleTime: 60_000,
  });

const ranks = { read: 0, operate: 1, admin: 2 } as const;

/** Whether the token in use has at least this role. While that is unknown, it has not. */
export function useMay(role: keyof typeof ranks): boolean {
  const { data } = useSession();
  return data !== undefined && ranks[data.role] >= ranks[role];
}
