import type { Stage } from '../deliver/stage.ts';
import { gatewayMiB } from '../proc.ts';

/** What the gateway holds at one moment. */
export async function takeSample({ gateway, query }: Stage): Promise<Record<string, number>> {
  const [row] = await query<{ connections: number; queued: number; waiting: number }>(
    `select (select count(*)::integer from pg_stat_activity where backend_type = 'client backend' and datname = current_database()) as connections,
       count(*)::integer as queued, count(*) filter (where lane > 0)::integer as waiting
     from event_queue`,
  );
  return {
    'gateway MiB': gatewayMiB(gateway.pids),
    'PostgreSQL connections': row?.connections ?? Number.NaN,
    'rows of event_queue': row?.queued ?? Number.NaN,
    'workflows to start': row?.waiting ?? Number.NaN,
  };
}
