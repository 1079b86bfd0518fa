import type { Sql } from '../../database/sql.ts';
import { columnsOf } from '../../shared/columns-of.ts';
import type { IncidentKind } from '../incident.ts';

/** What a process has counted of one cause, or of the successes of a consumer. */
export interface Count {
  kind: IncidentKind;
  accountId: string | null;
  /** For `default`, the id of the account; null for other kinds than `delivery`. */
  consumerId: string | null;
  /** Null for successes. */
  cause: string | null;
  /** Whether it opens an incident by itself. */
  opens: boolean;
  failed: number;
  succeeded: number;
  /** Of failures that open an incident: of the one that does, or when those in a row began, which may be long ago. */
  firstMs: number;
  lastMs: number;
  example: string | null;
  oldest: string | null;
}

// The consumers whose successes matter: those with an incident, and those of which any process has seen failures lately.
const addCounts = {
  name: 'add_incident_counts',
  text: `
    with written as (
      insert into incident_counts (kind, account_id, consumer_id, cause, opens, failed, succeeded, first_at, last_at, example_event_id, oldest_event_id)
      select * from unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::boolean[], $6::integer[], $7::integer[],
        $8::timestamptz[], $9::timestamptz[], $10::uuid[], $11::uuid[])
    )
    select coalesce(consumer_id, account_id) as id, true as open from incidents where state <> 'resolved' and kind = 'delivery'
    union select consumer_id, false from incident_counts where kind = 'delivery' and failed > 0`,
};

/** The consumers that a process watches. */
export interface Watched {
  /** With an incident that is not resolved. */
  open: Set<string>;
  /** These, and those that have failed lately. */
  failing: Set<string>;
}

/** Writes what was counted, and reads which consumers have incidents. */
export async function addIncidentCounts(sql: Sql, counts: readonly Count[]): Promise<Watched> {
  const rows = await sql.query<{ id: string | null; open: boolean }>(addCounts, [
    ...columnsOf(counts, 'kind', 'accountId', 'consumerId', 'cause', 'opens', 'failed', 'succeeded'),
    ...[counts.map(({ firstMs }) => new Date(firstMs)), counts.map(({ lastMs }) => new Date(lastMs))],
    ...columnsOf(counts, 'example', 'oldest'),
  ]);
  const idsOf = (some: typeof rows) => new Set(some.flatMap(({ id }) => id ?? []));
  return { open: idsOf(rows.filter(({ open }) => open)), failing: idsOf(rows) };
}
