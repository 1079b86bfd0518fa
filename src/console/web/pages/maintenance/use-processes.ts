import type { Treaty } from '@elysia/eden';
import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';

/** A process of the gateway. */
export type Process = Treaty.Data<(typeof api)['processes']['get']>[number];

const everyMs = 2_000;

/** The processes of the gateway, and those that died a moment ago. */
export const useProcesses = () =>
  useQuery({
    queryKey: ['processes'],
    queryFn: ({ signal }) => answer(api.processes.get({ fetch: { signal } })),
    refetchInterval: everyMs,
  });
