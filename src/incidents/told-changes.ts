import type { Sql } from '../database/sql.ts';
import type { IncidentChange } from './incident.ts';
import { fromIncidents, type IncidentRow, incidentColumns } from './incident-rows.ts';

const readChanged = {
  name: 'read_changed_incidents',
  text: `select ${incidentColumns} ${fromIncidents} where i.id = any($1) and i.account_id is not null and i.kind <> 'gateway' order by i.id`,
};

/** Reads what others are told of incidents that were opened or resolved in this transaction. Not those of the gateway. */
export async function changesOf(
  sql: Sql,
  changed: readonly { id: string; change: IncidentChange['change'] }[],
): Promise<IncidentChange[]> {
  if (changed.length === 0) return [];
  const changes = new Map(changed.map(({ id, change }) => [id, change]));
  const rows = await sql.query<IncidentRow>(readChanged, [[...changes.keys()]]);
  return rows.flatMap((row) => {
    const change = changes.get(row.id);
    const { kind, account_id: accountId, provider, account_slug: accountSlug, app_key: appKey } = row;
    if (!change || kind === 'gateway' || !accountId || !provider || !accountSlug || !appKey) return [];
    return {
      ...{ incidentId: row.id, kind, change, accountId, provider, accountSlug, appKey, consumer: row.consumer },
      ...{ cause: row.cause, firstSeenAt: row.first_seen_at, lastSeenAt: row.last_seen_at, attempts: row.attempts },
      exampleEventId: row.example_event_id,
      at: change === 'resolved' ? (row.resolved_at ?? new Date()) : (row.reopened_at ?? row.first_seen_at),
    };
  });
}
