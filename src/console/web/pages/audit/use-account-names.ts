import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';

/** Provider and slug of the accounts, by id; deleted accounts have none. */
export function useAccountNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ['accounts'],
    queryFn: ({ signal }) => answer(api.accounts.get({ query: {}, fetch: { signal } })),
    staleTime: 60_000,
    select: (accounts) =>
      new Map(accounts.map(({ id, provider, account_slug }) => [id, `${provider}/${account_slug}`])),
  });
  return data ?? none;
}

const none: ReadonlyMap<string, string> = new Map();
