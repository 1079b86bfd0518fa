import { useQuery } from '@tanstack/react-query';
import type { FailureOutcome } from '../../../../../delivery/failure.ts';
import { eventStates } from '../../../../../events/event-state.ts';
import { accountsQuery } from '../../../api/accounts.ts';
import { answer, api } from '../../../api/client.ts';
import type { Filters } from '../../../api/filters.ts';
import type { FilterName } from './filter-names.ts';

/** Codes that consumers answer; others can be typed. */
const statusCodes = [200, 400, 401, 403, 404, 408, 409, 410, 422, 429, 500, 502, 503, 504].map(String);

/** Why an attempt fails (src/delivery/attempt/outcome.ts). */
const causes = [
  ...(['http_error', 'timeout', 'connection_refused', 'connection_error', 'dns_failure', 'tls_error'] as const),
  ...([
    'address_refused',
    'invalid_url',
    'proxy_error',
    'token_error',
    'no_delivery_url',
    'secret_unreadable',
  ] as const),
] satisfies (FailureOutcome | 'http_error' | 'no_delivery_url' | 'secret_unreadable')[];

/**
 * The values to choose from for each filter; an external id can only be typed. Consumers are those of the account that
 * the filters name.
 */
export function useFilterValues({ provider, account_slug }: Filters): Record<FilterName, string[]> {
  const { data } = useQuery({
    queryKey: ['event-filters'],
    queryFn: ({ signal }) => answer(api.events.filters.get({ query: {}, fetch: { signal } })),
    staleTime: 30_000,
  });
  const { data: accounts } = useQuery({ ...accountsQuery, staleTime: 30_000 });
  const account =
    account_slug === undefined
      ? undefined
      : accounts?.find((one) => one.account_slug === account_slug && (provider ?? one.provider) === one.provider);
  const { data: consumers } = useQuery({
    queryKey: ['consumers', account?.id],
    queryFn: ({ signal }) =>
      answer(api.accounts({ account_id: account?.id ?? '' }).consumers.get({ fetch: { signal } })),
    enabled: account !== undefined,
    staleTime: 30_000,
  });
  return {
    provider: data?.providers ?? [],
    account_slug: data?.account_slugs ?? [],
    event_type: data?.event_types ?? [],
    state: [...eventStates],
    response_code: statusCodes,
    cause: [...causes],
    delivery_status: ['pending', 'delivered', 'failed'],
    status: data?.statuses ?? [],
    app_key: [...new Set(accounts?.map(({ app_key }) => app_key))].sort(),
    consumer: consumers?.map(({ name }) => name) ?? [],
    external_id: [],
    skipped: ['true', 'false'],
    account_id: [],
    job: [],
    incident: [],
  };
}
