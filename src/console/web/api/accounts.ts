import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client.ts';

/** All accounts without the deleted ones, oldest first. */
export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => answer(api.accounts.get({ query: {}, fetch: { signal } })),
});
