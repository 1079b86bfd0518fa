import type { Sql } from '../database/sql.ts';
import { fromIncidents, type IncidentRow, incidentColumns, incidentView } from './incident-rows.ts';

/** Incidents that one read returns: about 0.4 MB, which fits into what a client may leave unread. */
const most = 500;

const readChanged = {
  name: '',
  text: `
    select i.changed_at, ${incidentColumns} ${fromIncidents}
    where i.changed_at > $1 order by i.changed_at desc limit ${most}`,
};

/** A change of an incident, for streams. */
export interface ChangedIncident {
  /** The same for the same change, so that it is reported once. */
  key: string;
  /** Null: of the gateway itself. */
  accountId: string | null;
  /** The incident in the form of the admin API, as JSON. */
  json(): string;
}

/** Reads the incidents that have changed since a time. */
export async function readChangedIncidents(sql: Sql, since: Date): Promise<ChangedIncident[]> {
  const rows = await sql.query<IncidentRow & { changed_at: Date }>(readChanged, [since]);
  return rows.reverse().map((row) => ({
    key: `${row.id}/${row.changed_at.getTime()}`,
    accountId: row.account_id,
    json: () => JSON.stringify(incidentView(row)),
  }));
}
