import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import type { Provider } from '../../../api/types.ts';

/** How often accounts are read while they are shown: a colleague may change them. */
const everyMs = 10_000;

/** The counts of the gateway are written every three seconds. */
const secretsEveryMs = 3_000;

export const accountsKey = ['accounts'];
export const accountKey = (id: string) => ['account', id];
export const secretsKey = (id: string) => ['account-secrets', id];

/** All accounts without the deleted ones, oldest first. */
export const useAccounts = () =>
  useQuery({
    queryKey: accountsKey,
    queryFn: ({ signal }) => answer(api.accounts.get({ query: {}, fetch: { signal } })),
    refetchInterval: everyMs,
  });

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

/** The providers that this gateway knows. They change only with a release. */
export const useProviders = () =>
  useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => answer(api.providers.get({ query: {}, fetch: { signal } })),
    staleTime: 60_000,
  });

/** The address at which an account of the provider receives webhooks. */
export const ingestionAddress = (provider: Provider, slug: string) =>
  provider.ingestion_url.replace('{account_slug}', slug);
