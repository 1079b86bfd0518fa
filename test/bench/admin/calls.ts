import { rare } from './fill.ts';

/** A call to measure, with its name in the report. */
export interface Call {
  name: string;
  path: string;
}

const dayMs = 86_400_000;

/**
 * The lists, filters and statistics of operators, with every filter alone for common, rare and absent values.
 *
 * @param options `cursor` is an event deep in the table, `offset` is its depth; `incident` one of an account with many events
 */
export function adminCalls(options: { days: number; offset: number; cursor: string; incident: string }): Call[] {
  const list = (name: string, query: Record<string, string>) => ({
    name,
    path: `/admin/events?${new URLSearchParams({ limit: '100', ...query })}`,
  });
  const values: Record<string, string[]> = {
    app_key: ['app-0', rare.app_key, 'absent'],
    provider: ['generic', rare.provider, 'absent'],
    event_type: ['type.0', rare.event_type, 'absent'],
    account_slug: ['slug-0', rare.account_slug, 'absent'],
    external_id: [rare.external_id, 'absent'],
    status: ['received', 'enqueued', 'processed', 'failed', 'dead', 'rejected'],
    delivery_status: ['pending', 'delivered', 'failed'],
  };
  const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  return [
    list('no filter', {}),
    ...Object.entries(values).flatMap(([name, all]) => all.map((value) => list(`${name}=${value}`, { [name]: value }))),
    list('since an hour ago', { since: ago(1 / 24) }),
    list('since the beginning', { since: ago(options.days) }),
    list('since tomorrow', { since: ago(-1) }),
    list('until half the time ago', { until: ago(options.days / 2) }),
    list('until the second day', { until: ago(options.days - 2) }),
    list('until before the first day', { until: ago(options.days + 1) }),
    list(`offset ${options.offset}`, { offset: String(options.offset) }),
    list('the same by cursor', { before: options.cursor }),
    { name: 'incidents, 1,000 open', path: '/admin/incidents?state=open&limit=1000' },
    { name: 'events of an incident', path: `/admin/events?limit=100&incident=${options.incident}` },
    { name: 'filters', path: '/admin/events/filters' },
    { name: 'stats', path: '/admin/delivery/stats' },
    { name: 'failed', path: '/admin/delivery/failed' },
    { name: 'retrying', path: '/admin/delivery/retrying' },
    { name: 'retrying, 9 attempts', path: '/admin/delivery/retrying?min_attempts=9' },
    { name: 'retrying, 99 attempts', path: '/admin/delivery/retrying?min_attempts=99' },
  ];
}
