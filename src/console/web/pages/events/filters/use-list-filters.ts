import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Filters } from '../../../api/filters.ts';
import { listFilterNames } from './filter-names.ts';

/** The filters of a list in the address, and functions that change some of them or remove all. */
export function useListFilters() {
  const search: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const key = JSON.stringify(search);
  const filters = useMemo(() => {
    const given: Filters = JSON.parse(key);
    return Object.fromEntries(listFilterNames.flatMap((name) => (given[name] ? [[name, given[name]]] : []))) as Filters;
  }, [key]);
  return {
    filters,
    change: (part: Filters) => void navigate({ to: '.', search: { ...search, ...part } }),
    clear: () => void navigate({ to: '.', search: {} }),
  };
}
