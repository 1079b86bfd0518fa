import type { Sql } from '../database/sql.ts';
import type { EventRow } from '../events/event.ts';
import { eventColumns } from '../events/event.ts';
import { idRange } from '../events/id-range.ts';
import type { WhenExhausted } from '../events/transitions/exhausted.ts';
import { type BurstLimit, isFolded } from './bursts.ts';
import { foldBursts } from './fold.ts';
import { matchCondition } from './matching.ts';
import { type NewNotification, writeNotifications } from './new-notifications.ts';
import type { ToldDestination } from './notification.ts';

const readExhausted = {
  name: 'read_exhausted_events',
  text: `select ${eventColumns} from events e where e.id = any($1) and e.id between $2 and $3 order by e.id`,
};

const readDestinations = {
  name: 'read_destinations_to_tell',
  text: `
    select id, account_id, destination_type, name, config, condition from destinations
    where account_id = any($1) and enabled order by account_id, position, created_at, id`,
};

/**
 * Adds the notifications of exhausted events, in the transaction that exhausts them. Each goes to a destination that is
 * enabled and whose condition matches at this time.
 */
export function addNotifications(options: { burst: BurstLimit | null }): WhenExhausted {
  return async (sql, eventIds) => {
    const events = await sql.query<EventRow>(readExhausted, [eventIds, ...idRange(eventIds)]);
    const accounts = [...new Set(events.map((event) => event.account_id))];
    const destinations = await sql.query<ToldDestination>(readDestinations, [accounts]);
    if (destinations.length === 0) return;
    const notifications = events.flatMap((event) => notificationsOf(event, destinations));
    await fold(sql, notifications, options.burst);
    await writeNotifications(sql, notifications);
  };
}

function notificationsOf(event: EventRow, destinations: ToldDestination[]): NewNotification[] {
  const variables = { ...event, delivery_failed: true };
  return destinations.flatMap((destination, ordinal): NewNotification[] => {
    if (destination.account_id !== event.account_id) return [];
    const match = matchCondition(destination.condition, variables);
    if (match.ok && !match.matches) return [];
    const common = { event, destination, ordinal, summaryId: null };
    return match.ok
      ? [{ ...common, status: 'pending', error: null }]
      : [{ ...common, status: 'failed', error: match.error }];
  });
}

/** Marks the notifications beyond the burst limit as folded into a summary. */
async function fold(sql: Sql, notifications: NewNotification[], limit: BurstLimit | null): Promise<void> {
  if (!limit) return;
  const groups = Map.groupBy(
    notifications.filter(({ status, destination }) => status === 'pending' && isFolded(destination.destination_type)),
    ({ destination }) => destination.id,
  );
  // Locks destinations in the order of their ids, so that concurrent transactions never deadlock.
  for (const id of [...groups.keys()].sort()) await foldBursts(sql, groups.get(id) ?? [], limit);
}
