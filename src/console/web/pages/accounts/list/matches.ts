import type { AccountSummary } from './account-summary.ts';

/** Whether an account passes the filters of the list. `q` is a part of its slug in any case. */
export function matches(
  { account_slug, provider, app_key }: AccountSummary,
  filters: { q?: string | undefined; provider?: string | undefined; app_key?: string | undefined },
): boolean {
  return (
    (filters.q === undefined || account_slug.toLowerCase().includes(filters.q.toLowerCase())) &&
    (filters.provider === undefined || provider === filters.provider) &&
    (filters.app_key === undefined || app_key === filters.app_key)
  );
}
