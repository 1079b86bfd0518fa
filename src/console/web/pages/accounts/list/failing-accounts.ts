import type { Treaty } from '@elysia/eden';
import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';

/** The counts are written every five seconds; the list needs them less often. */
const everyMs = 15_000;
/** The most that the API answers. Accounts beyond have fewer failures than these. */
const limit = 100;

type FailingAccount = Treaty.Data<typeof api.delivery.accounts.get>['accounts'][number];

/** The accounts with failed attempts in the last 24 hours by id, and whether these are all; undefined while unknown. */
export type FailingAccounts = { byId: ReadonlyMap<string, FailingAccount>; complete: boolean } | undefined;

export function useFailingAccounts(): FailingAccounts {
  const { data } = useQuery({
    queryKey: ['failing-accounts', limit],
    queryFn: ({ signal }) => answer(api.delivery.accounts.get({ query: { hours: 24, limit }, fetch: { signal } })),
    refetchInterval: everyMs,
    select: ({ accounts }) => ({
      byId: new Map(accounts.map((account) => [account.account_id, account])),
      complete: accounts.length < limit,
    }),
  });
  return data;
}
