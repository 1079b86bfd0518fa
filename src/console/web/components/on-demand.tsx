import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { loadCode } from './load-code.ts';
import { ProblemNotice } from './notice.tsx';

/**
 * A part of a page whose code is loaded when the part is first shown. When that fails, the rest of the page stays as
 * it is, with what the user has typed into it.
 */
export function onDemand<Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) {
  return function OnDemand(props: Props) {
    const {
      data: Part,
      error,
      refetch,
    } = useQuery({
      queryKey: ['code', name],
      queryFn: () => loadCode(load),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    });
    if (Part) return <Part {...props} />;
    if (error) return <ProblemNotice error={error} retry={() => void refetch()} />;
    return (
      <p role="status" aria-busy="true">
        Loading …
      </p>
    );
  };
}
