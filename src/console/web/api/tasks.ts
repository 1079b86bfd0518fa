import { queryOptions } from '@tanstack/react-query';
import { answer, api } from './client.ts';

/** All maintenance tasks; the API calls them upkeep. Where they are shown, they are read again within seconds. */
export const tasksQuery = queryOptions({
  queryKey: ['upkeep'],
  queryFn: ({ signal }) => answer(api.upkeep.get({ fetch: { signal } })),
  // A Temporal that hangs fails each call only after 15 s.
  retry: false,
});
