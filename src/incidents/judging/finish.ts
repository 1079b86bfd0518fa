import type { Sql } from '../../database/sql.ts';
import { failingEvents } from '../incident-rows.ts';

/** Incidents that one statement looks at. */
const atOnce = 100;
/** Their events are over when an operator or a retry has settled them, and no request waits for this. */
const againS = 60;

const due = `state = 'resolved' and kind = 'delivery' and resolved_by is null and finished_at is null
  and (checked_at is null or checked_at < now() - interval '${againS} seconds')`;

const finishResolved = {
  name: 'finish_resolved_incidents',
  text: `
    with looked_at as (select id from incidents where ${due} order by checked_at nulls first limit ${atOnce}),
    checked as (select i.id, exists (select ${failingEvents}) as unfinished from looked_at join incidents i using (id))
    update incidents i set checked_at = now(), finished_at = case when c.unfinished then null else now() end,
      changed_at = case when c.unfinished then i.changed_at else clock_timestamp() end
    from checked c where i.id = c.id and i.state = 'resolved'`,
};

/** Finds which incidents that have resolved by themselves have no event left that waits or is exhausted. */
export async function finishIncidents(sql: Sql): Promise<void> {
  await sql.query(finishResolved, []);
}

const findWork = {
  name: 'find_work_on_incidents',
  text: `
    select exists (select from incident_counts) or exists (select from incidents where state <> 'resolved') as counts,
      exists (select from incidents where ${due}) as resolved`,
};

/** Whether there is anything to judge: `resolved` ones to finish, or counts and incidents that are not resolved. */
export async function workOnIncidents(sql: Sql): Promise<{ counts: boolean; resolved: boolean }> {
  const [work] = await sql.query<{ counts: boolean | null; resolved: boolean | null }>(findWork, []);
  return { counts: work?.counts === true, resolved: work?.resolved === true };
}
