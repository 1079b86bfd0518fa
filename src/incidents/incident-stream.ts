import type { Sql } from '../database/sql.ts';
import type { ChangedIncident, KnownChange } from '../events/stream/incident-changes.ts';
import { fromIncidents, type IncidentRow, incidentColumns, incidentView } from './incident-rows.ts';

/** Incidents that one read returns: about 0.4 MB, which fits into what a client may leave unread. The next read returns more. */
const most = 500;

// A transaction may commit after another one whose changes are later. So a read looks back, without what is known.
const readChanged = {
  name: '',
  text: `
    select i.changed_at, i.changed_at::text as version, ${incidentColumns} ${fromIncidents}
    where i.changed_at > $1 and not exists (
      select from unnest($2::uuid[], $3::timestamptz[]) as known (id, changed_at)
      where known.id = i.id and known.changed_at = i.changed_at)
    order by i.changed_at limit ${most}`,
};

/** Reads incidents that have changed since a time, the earliest changes first, without those that are known. */
export async function readChangedIncidents(
  sql: Sql,
  since: Date,
  known: readonly KnownChange[],
): Promise<ChangedIncident[]> {
  const rows = await sql.query<IncidentRow & { changed_at: Date; version: string }>(readChanged, [
    since,
    ...[known.map(({ id }) => id), known.map(({ version }) => version)],
  ]);
  return rows.map((row) => ({
    ...{ id: row.id, version: row.version, changedAt: row.changed_at, accountId: row.account_id },
    json: JSON.stringify(incidentView(row)),
  }));
}
