import type { UseQueryResult } from '@tanstack/react-query';
import { ProblemNotice } from './notice.tsx';

/** The failed call of a query, above what the page still shows from before. */
export function QueryProblem({ of: { error, dataUpdatedAt, refetch } }: { of: UseQueryResult }) {
  return error && <ProblemNotice error={error} shownFromMs={dataUpdatedAt} retry={() => void refetch()} />;
}
