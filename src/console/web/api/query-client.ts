import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem, isOutage } from './problem.ts';
import { token } from './token.ts';

/** Between two tries while the gateway is away. */
const retryMs = 2_000;

/** Signs out when the token is refused, so that the page asks for another one. */
function onProblem(error: unknown): void {
  if (error instanceof ApiProblem && error.isOfToken) token.refused(error.status === 401 ? undefined : error.message);
}

/**
 * Calls are made also while the browser says that it is offline, and fail then: by default they would wait without an error,
 * and changes that the user has cancelled in the meantime would be made once it is online again.
 */
const networkMode = 'always';

/** The answers of the API in this page. During an outage, calls are repeated until the gateway answers. */
export const queryClient = new QueryClient({
  // On the caches: a call's own `onError` would replace a default one.
  queryCache: new QueryCache({ onError: onProblem }),
  mutationCache: new MutationCache({ onError: onProblem }),
  defaultOptions: {
    mutations: { networkMode },
    queries: {
      networkMode,
      retry: (count, error) => isOutage(error) && count < 3,
      retryDelay: retryMs,
      staleTime: 2_000,
      refetchOnWindowFocus: true,
    },
  },
});
