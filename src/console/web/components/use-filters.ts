import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Filters } from '../api/filters.ts';

/** The filters in the address, and a function that changes some of them. An empty one leaves the address. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (part: Filters) => void navigate({ to: '.', search: { ...filters, ...part }, replace: true });
  return [filters, change];
}
