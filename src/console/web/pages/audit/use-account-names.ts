import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../../api/accounts.ts';

/** Provider and slug of the accounts, by id; deleted accounts have none. */
export function useAccountNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    ...accountsQuery,
    staleTime: 60_000,
    select: (accounts) =>
      new Map(accounts.map(({ id, provider, account_slug }) => [id, `${provider}/${account_slug}`])),
  });
  return data ?? none;
}

const none: ReadonlyMap<string, string> = new Map();
