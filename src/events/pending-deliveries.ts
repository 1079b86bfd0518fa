import type { Sql } from '../database/sql.ts';
import { uuidFloor, uuidMs } from '../database/uuid-time.ts';
import { lanes } from './lanes.ts';
import { waitingConsumers } from './queue.ts';

/** The events whose delivery has not ended. */
export interface PendingDeliveries {
  count: number;
  /** When the oldest of them was received; null if there is none. */
  since: Date | null;
}

/** Events of held consumers that are passed over, at most: they are read in milliseconds. */
const mostPassedOver = 10_000;

const hourMs = 60 * 60_000;

/**
 * From the statistics: reads the hours with pending events by the index event_stats_pending, and the deltas of the last
 * second or so. Its cost grows with those hours, not with the events or the days of retention.
 */
const countPending = {
  name: '',
  text: `
    select coalesce(sum(pending), 0)::integer as count, min(hour) as hour from (
      select hour, sum(pending) as pending from (
        select hour, pending from event_stats where pending <> 0
        union all select hour, pending from event_stat_deltas where pending <> 0
      ) changes group by hour having sum(pending) > 0
    ) hours`,
};

/**
 * The oldest queued event of a lane: one index lookup for each consumer that has one.
 *
 * @param wanted a condition on the consumer's id, `account_id`
 */
const firstOfLane = (lane: number, wanted = 'true') => `(
      with recursive hop as (
        (select account_id, event_id from event_queue where lane = ${lane} order by account_id, event_id limit 1)
        union all
        select next.* from hop cross join lateral (
          select q.account_id, q.event_id from event_queue q where q.lane = ${lane} and q.account_id > hop.account_id order by q.account_id, q.event_id limit 1
        ) next
      )
      select event_id from hop where ${wanted} order by event_id limit 1
    )`;

/**
 * Every pending event is queued or has a time for its next attempt. $1 and $2 are the ids of one hour, so that the
 * statement reads the first entry of one or two partitions' indexes.
 */
const findOldest = {
  name: '',
  text: `
    select least(
      (select e.id from events e where e.id >= $1 and e.id < $2 and e.due_at is not null order by e.id limit 1),
      ${firstOfLane(lanes.firstAttempt)},
      ${firstOfLane(lanes.pendingStart)}
    ) as id`,
};

/**
 * As `findOldest`, from $1 on, without the events of held consumers: it reads the events before the first that counts, and
 * no others. If so many are held, the last of them counts: those after it are younger.
 */
const findOldestFree = {
  name: '',
  text: `
    with held as materialized (${waitingConsumers})
    select least(
      (select id from (
        select id, coalesce(consumer_id, account_id) as consumer, row_number() over (order by id) as n
        from events where id >= $1 and due_at is not null
      ) waiting where consumer not in (select id from held) or n = ${mostPassedOver} order by id limit 1),
      ${firstOfLane(lanes.firstAttempt, 'account_id not in (select id from held)')},
      ${firstOfLane(lanes.pendingStart, 'account_id not in (select id from held)')}
    ) as id, exists (select from held) as "someHeld"`,
};

/** Counts the pending events and finds the oldest. Use `database.reader`, whose plans leave out other days. */
export async function pendingDeliveries(sql: Sql): Promise<PendingDeliveries> {
  const { count, hour } = await countedPending(sql);
  if (hour === null) return { count: 0, since: null };
  const range = [uuidFloor(hour), uuidFloor(new Date(hour.getTime() + hourMs))];
  const [oldest] = await sql.query<{ id: string | null }>(findOldest, range);
  // The event may just have been delivered. The hour then tells its time as well as it is known.
  return { count, since: oldest?.id ? new Date(uuidMs(oldest.id)) : hour };
}

/**
 * Counts the pending events, and finds the oldest whose account and consumer are neither paused nor disabled: it waits for
 * the gateway, or for its schedule. A pause of all deliveries does not count here.
 */
export async function freePendingDeliveries(sql: Sql): Promise<PendingDeliveries> {
  const { count, hour } = await countedPending(sql);
  if (hour === null) return { count: 0, since: null };
  const [oldest] = await sql.query<{ id: string | null; someHeld: boolean }>(findOldestFree, [uuidFloor(hour)]);
  if (oldest?.id) return { count, since: new Date(uuidMs(oldest.id)) };
  return { count, since: oldest?.someHeld ? null : hour };
}

async function countedPending(sql: Sql) {
  const [counted] = await sql.query<{ count: number; hour: Date | null }>(countPending, []);
  return counted ?? { count: 0, hour: null };
}
