import { type Content, noContent, storedContent } from '../conditions/content.ts';
import { together } from '../conditions/content-needs.ts';
import { Work } from '../conditions/work.ts';
import type { Sql } from '../database/sql.ts';
import { type EventRow, readEventRows } from '../events/event.ts';
import { readStoredContents } from '../events/stored-contents.ts';
import type { WhenExhausted } from '../events/transitions/exhausted.ts';
import { breaks } from '../shared/breaks.ts';
import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';
import { type BurstLimit, isFolded } from './bursts.ts';
import { foldBursts } from './fold.ts';
import { type Judged, matchCondition, needsOf } from './matching.ts';
import { type NewNotification, writeNotifications } from './new-notifications.ts';
import type { ToldDestination } from './notification.ts';
import { PreparedContents } from './prepared-contents.ts';

const readDestinations = {
  name: 'read_destinations_to_tell',
  text: `
    select id, account_id, destination_type, name, config, condition from destinations
    where account_id = any($1) and enabled and 'delivery.failed' = any(kinds) order by account_id, position, created_at, id`,
};

/** At most one line an hour: a condition that takes too much work does so for every event. */
const quietMs = 60 * 60_000;

/**
 * Adds the notifications of exhausted events, in the transaction that exhausts them. Each goes to a destination that is
 * enabled and whose condition matches at this time.
 */
export function addNotifications(options: { burst: BurstLimit | null; log?: Pick<Log, 'warn'> }): WhenExhausted {
  const warning = new RareWarning(undefined, quietMs);
  const prepared = new PreparedContents();
  const add: WhenExhausted = async (sql, eventIds) => {
    const events = await readEventRows(sql, eventIds);
    const accounts = [...new Set(events.map((event) => event.account_id))];
    const destinations = await sql.query<ToldDestination>(readDestinations, [accounts]);
    if (destinations.length === 0) return;
    const onExceeded = (eventId: string, exceeded: number) => {
      warning.add(exceeded);
      warning.tell((conditions) =>
        options.log?.warn({ eventId, conditions }, 'conditions exceeded their limit of work and counted as met'),
      );
    };
    const notifications = await matchAll(sql, { events, destinations, prepared, onExceeded });
    await fold(sql, notifications, options.burst);
    await writeNotifications(sql, notifications);
  };
  return Object.assign(add, { prepare: (sql: Sql, eventIds: string[]) => prepared.prepare(sql, eventIds) });
}

interface Matching {
  events: EventRow[];
  destinations: ToldDestination[];
  prepared: PreparedContents;
  /** Called with the number of conditions of an event that took more work than they may. */
  onExceeded(eventId: string, exceeded: number): void;
}

/** The notifications of all events, in their order. Reads headers and bodies only for conditions that need them. */
async function matchAll(
  sql: Sql,
  { events, destinations, prepared, onExceeded }: Matching,
): Promise<NewNotification[]> {
  const ofAccount = Map.groupBy(destinations, ({ account_id }) => account_id);
  const needs = new Map(
    [...ofAccount].map(([id, some]) => [id, together(some.map(({ condition }) => needsOf(condition)))]),
  );
  const match = (event: EventRow, content: Content) => {
    const work = new Work();
    const variables = { ...event, delivery_failed: true };
    const notifications = notificationsOf(event, destinations, { variables, content, work });
    onExceeded(event.id, work.exceeded);
    return notifications;
  };
  const found = new Map<string, NewNotification[]>();
  const takeBreak = breaks();
  for (const event of events) {
    const content = prepared.take(event.id);
    if (!content) continue;
    found.set(event.id, match(event, content));
    await takeBreak();
  }
  for (const bodies of [true, false]) {
    const reading = events.filter(({ id, account_id }) => {
      if (found.has(id)) return false;
      const { payload = false, headers = false } = needs.get(account_id) ?? {};
      return bodies ? payload : headers && !payload;
    });
    const byId = new Map(reading.map((event) => [event.id, event]));
    for await (const { eventId, stored } of readStoredContents(sql, [...byId.keys()], { bodies })) {
      const event = byId.get(eventId);
      if (event) found.set(eventId, match(event, storedContent(stored)));
    }
  }
  const notifications: NewNotification[] = [];
  for (const event of events) {
    notifications.push(...(found.get(event.id) ?? match(event, noContent)));
    await takeBreak();
  }
  return notifications;
}

function notificationsOf(event: EventRow, destinations: ToldDestination[], judged: Judged): NewNotification[] {
  return destinations.flatMap((destination, ordinal): NewNotification[] => {
    if (destination.account_id !== event.account_id) return [];
    const match = matchCondition(destination.condition, judged);
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
