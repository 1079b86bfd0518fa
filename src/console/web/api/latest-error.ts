import type { UseQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * The error of a query's latest call that has ended; null after a success, and for a query that asks nothing. TanStack Query
 * forgets the error of a query without data while it asks again: a notice of an outage would come and go with each call.
 */
export function useLatestError({ error, isEnabled, isPending }: UseQueryResult): Error | null {
  const latest = useRef<Error | null>(null);
  if (!isPending || !isEnabled) latest.current = error;
  return isEnabled ? latest.current : null;
}
