import { useQuery } from '@tanstack/react-query';
import { answer, api } from './client.ts';

/** Settings change only when the process starts again; during an outage they are asked for until it answers. */
const whileAwayMs = 5_000;

/** The settings of the process that answers. */
export const useSettings = () =>
  useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => answer(api.settings.get({ fetch: { signal } })),
    refetchInterval: ({ state }) => (state.error ? whileAwayMs : false),
  });
