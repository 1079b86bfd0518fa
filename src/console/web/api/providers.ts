import { useQuery } from '@tanstack/react-query';
import { answer, api } from './client.ts';
import type { Provider } from './types.ts';

const whileAwayMs = 5_000;

/** The providers that this gateway knows. They change only with a release; during an outage they are asked for again. */
export const useProviders = () =>
  useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => answer(api.providers.get({ query: {}, fetch: { signal } })),
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.error ? whileAwayMs : false),
  });

/** The address at which an account of the provider receives webhooks. */
export const ingestionAddress = (provider: Provider, slug: string) =>
  provider.ingestion_url.replace('{account_slug}', slug);
