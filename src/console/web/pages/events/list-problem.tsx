import { ProblemNotice } from '../../components/notice.tsx';
import type { useEventList } from './use-event-list.ts';

/** Why a list or its next page could not be read, with a button that reads it again. What was loaded before stays. */
export function ListProblem({ list }: { list: ReturnType<typeof useEventList> }) {
  if (!list.error) return null;
  const retry = () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch());
  return <ProblemNotice error={list.error} retry={retry} />;
}
