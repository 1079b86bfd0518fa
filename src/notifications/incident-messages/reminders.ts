import type { Database } from '../../database/database.ts';
import { lockKeys } from '../../database/lock-keys.ts';
import { tryLock } from '../../database/try-lock.ts';
import type { IncidentChange } from '../../incidents/incident.ts';
import type { IncidentDestination } from './incident-match.ts';
import { messageFor, writeIncidentMessages } from './new-incident-messages.ts';
import type { PlaceOf } from './place.ts';

/** How long after its opening, and after each reminder, an open incident is told again: half of a shift. */
export const defaultReminderMs = 4 * 60 * 60_000;

// The incidents are locked, so that none is resolved before its reminder is recorded: the reminder then becomes obsolete.
const readDue = {
  name: 'read_incidents_to_remind_of',
  text: `
    select i.id as "incidentId", i.kind, i.account_id as "accountId", a.provider, a.account_slug as "accountSlug", a.app_key as "appKey",
      case when i.kind = 'delivery' then coalesce((select c.name from consumers c where c.id = i.consumer_id), 'default') end as consumer,
      i.cause, i.first_seen_at as "firstSeenAt", i.last_seen_at as "lastSeenAt", i.attempts::float8 as attempts,
      i.example_event_id as "exampleEventId", now() as at, d.id, d.account_id, d.destination_type, d.config, d.condition, d.kinds
    from incidents i join accounts a on a.id = i.account_id and a.deleted_at is null
    join destinations d on d.account_id = i.account_id and d.enabled and 'incident.opened' = any(d.kinds)
    left join lateral (
      select m.status, m.happened_at from incident_messages m
      where m.incident_id = i.id and m.destination_id = d.id and m.status <> 'obsolete'
      order by m.happened_at desc, m.id desc limit 1
    ) last on true
    where i.state = 'open' and i.kind in ('delivery', 'rejections') and last.status is distinct from 'pending'
      and greatest(i.first_seen_at, i.reopened_at, last.happened_at) <= now() - make_interval(secs => $1)
    order by i.id, d.position, d.created_at, d.id for share of i`,
};

type Due = Omit<IncidentChange, 'change'> & IncidentDestination;

/** Records reminders of incidents that are open, without a person who has acknowledged them, for `everyMs` or longer. */
export function remindOfIncidents(
  database: Database,
  { everyMs, placeOf }: { everyMs: number; placeOf: PlaceOf },
): Promise<void> {
  return database.transaction(async (sql) => {
    if (!(await tryLock(sql, lockKeys.incidentReminders))) return;
    const due = await sql.query<Due>(readDue, [everyMs / 1000]);
    const messages = due.flatMap((row) => messageFor({ ...row, change: 'opened' }, row, true) ?? []);
    await writeIncidentMessages(sql, messages, placeOf);
  });
}
