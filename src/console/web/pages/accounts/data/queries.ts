import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../../../api/accounts.ts';
import { answer, api } from '../../../api/client.ts';

/** How often accounts are read while they are shown: a colleague may change them. */
const everyMs = 10_000;

/** The counts of the gateway are written every three seconds. */
const secretsEveryMs = 3_000;

export const accountsKey = accountsQuery.queryKey;
export const accountKey = (id: string) => ['account', id];
export const secretsKey = (id: string) => ['account-secrets', id];
export const consumersKey = (id: string) => ['consumers', id];

/** All accounts, renewed while they are shown. */
export const useAccounts = () => useQuery({ ...accountsQuery, refetchInterval: everyMs });

/** One account with all fields that are shown. */
export const useAccount = (id: string) =>
  useQuery({
    queryKey: accountKey(id),
    queryFn: ({ signal }) => answer(api.accounts({ account_id: id }).get({ fetch: { signal } })),
    refetchInterval: everyMs,
  });

/** Which signing secret the webhooks of an account use. */
export const useSecretUses = (id: string) =>
  useQuery({
    queryKey: secretsKey(id),
    queryFn: ({ signal }) => answer(api.accounts({ account_id: id }).secrets.get({ fetch: { signal } })),
    refetchInterval: secretsEveryMs,
  });
