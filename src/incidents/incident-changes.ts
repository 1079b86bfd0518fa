import type { Sql } from '../database/sql.ts';
import type { IncidentState } from './incident.ts';

const lockIncident = {
  name: 'lock_incident',
  text: 'select state from incidents where id = $1 for update',
};

const changeIncident = {
  name: 'change_incident',
  text: `
    update incidents set
      note = case when $5 then $4 else note end,
      state = coalesce($2, state),
      acknowledged_by = case when $2 = 'acknowledged' and state = 'open' then $3 when $2 = 'open' then null else acknowledged_by end,
      acknowledged_at = case when $2 = 'acknowledged' and state = 'open' then now() when $2 = 'open' then null else acknowledged_at end,
      resolved_by = case when $2 = 'resolved' then coalesce(resolved_by, $3) when $2 = 'open' then null else resolved_by end,
      resolved_at = case when $2 = 'resolved' then coalesce(resolved_at, now()) when $2 = 'open' then null else resolved_at end,
      reopened_at = case when $2 = 'open' and state = 'resolved' then now() else reopened_at end,
      succeeded = case when $2 = 'open' then 0 else succeeded end,
      finished_at = case when $2 = 'open' then null else finished_at end,
      changed_at = clock_timestamp()
    where id = $1`,
};

const findCurrent = {
  name: 'find_current_incident',
  text: `
    select o.id from incidents i join incidents o on o.state <> 'resolved' and o.id <> i.id and o.kind = i.kind and o.cause = i.cause
      and o.account_id is not distinct from i.account_id and o.consumer_id is not distinct from i.consumer_id
    where i.id = $1 limit 1`,
};

/** What an operator does to an incident. */
export interface OperatorChange {
  state?: IncidentState | undefined;
  /** Undefined leaves the note as it is. */
  note?: string | null | undefined;
  actor: string;
}

/** What has become of the order; `changed`: which end of it others are told of. */
export type Changed =
  | { ok: true; change: 'opened' | 'resolved' | null }
  | { ok: false; reason: 'not_found' | 'resolved' }
  | { ok: false; reason: 'other_open'; id: string };

/** Changes an incident as an operator asks. To be called in a transaction. */
export async function changeByOperator(sql: Sql, id: string, given: OperatorChange): Promise<Changed> {
  const { state, note, actor } = given;
  const [before] = await sql.query<{ state: IncidentState }>(lockIncident, [id]);
  if (!before) return { ok: false, reason: 'not_found' };
  const isResolved = before.state === 'resolved';
  if (state === 'acknowledged' && isResolved) return { ok: false, reason: 'resolved' };
  if (state === 'open' && isResolved) {
    const [other] = await sql.query<{ id: string }>(findCurrent, [id]);
    if (other) return { ok: false, reason: 'other_open', id: other.id };
  }
  await sql.query(changeIncident, [id, state ?? null, actor, note ?? null, note !== undefined]);
  if (state === 'resolved' && !isResolved) return { ok: true, change: 'resolved' };
  return { ok: true, change: state === 'open' && isResolved ? 'opened' : null };
}
