import type { Treaty } from '@elysia/eden';
import type { api } from '../../../api/client.ts';

/** The hours of a consumer, oldest first. */
export type Points = Treaty.Data<ReturnType<typeof api.accounts>['consumer']['get']>['points'];

/** What the hours amount to. */
export function totalsOf(points: Points) {
  const sum = (of: (point: Points[number]) => number) => points.reduce((total, point) => total + of(point), 0);
  const p95 = points.flatMap(({ duration_ms }) => duration_ms.p95 ?? []);
  return {
    attempts: sum(({ attempts }) => attempts),
    failed: sum(({ failed_attempts }) => failed_attempts),
    exhausted: sum(({ exhausted }) => exhausted),
    /** In ms: percentiles of hours cannot be added, so the worst one is shown. */
    slowest: p95.length === 0 ? null : Math.max(...p95),
  };
}
