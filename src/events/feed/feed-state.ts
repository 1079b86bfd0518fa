import type { Sql } from '../../database/sql.ts';
import { beforeAll, type Cursor, type Place } from './cursor.ts';

/** The row of `gateway_settings` with the epoch of the feed's cursors: a UUID that each restore writes. Absent before. */
export const feedEpochKey = 'feed_epoch';

/** The condition of the index `events_feed`: the events that are in the feed. @param e the alias of `events` */
export const inFeed = (e: string) => `${e}.rejection_reason is null and ${e}.skipped_reason is null`;

/** Transactions below this one have all ended: what they have stored is visible, and nothing comes below it later. */
export const settledEnd = 'pg_snapshot_xmin(pg_current_snapshot())';

const epoch = `coalesce((select convert_from(value, 'UTF8') from gateway_settings where key = '${feedEpochKey}'), '${beforeAll}')`;

const readBearings = {
  name: 'read_feed_bearings',
  text: `select ${epoch} as epoch, coalesce((select max(id) from feed_losses), 0)::text as loss, ${settledEnd}::text as "end"`,
};

/** What a new reader begins with. */
export interface Bearings {
  epoch: string;
  loss: string;
  /** All events that were stored before this transaction can be read now. */
  end: string;
}

export async function readFeedBearings(sql: Sql): Promise<Bearings> {
  const [row] = await sql.query<{ epoch: string; loss: string; end: string }>(readBearings, []);
  if (!row) throw new Error('read_feed_bearings returned no row');
  return row;
}

// `not … is_ahead`: a place that this database has not come to is of another one, or of before it was set back.
const checkPlace = {
  name: 'check_feed_place',
  text: `
    select ${epoch} as epoch, coalesce((select max(id) from feed_losses), 0)::text as loss,
      exists (select from feed_losses where id > $1::text::bigint and (last_xid, last_id) > ($2::text::xid8, $3::uuid)) as "isLost",
      $2::text::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as "isAhead"`,
};

/**
 * Whether all events after a cursor's place were there when the statement before this one read them. The statement has a
 * newer snapshot, so it sees a drop of a day that was committed in between.
 *
 * @returns the number of the last loss, for the next cursor; null if events were lost.
 */
export async function lossOf(sql: Sql, cursor: Cursor): Promise<string | null> {
  const [row] = await sql.query<{ epoch: string; loss: string; isLost: boolean; isAhead: boolean }>(checkPlace, [
    ...[cursor.loss, cursor.xid, cursor.id],
  ]);
  if (!row) throw new Error('check_feed_place returned no row');
  return row.isLost || row.isAhead || row.epoch !== cursor.epoch ? null : row.loss;
}

const readFirst = {
  name: '',
  text: `select e.stored_xid::text as xid, e.id, e.received_at as at from events e where e.id >= $1 and ${inFeed('e')}
    order by e.stored_xid, e.id limit 1`,
};

/** The first event of the feed whose id is not below `low`; null if there is none. */
export async function firstOfFeed(sql: Sql, low: string): Promise<(Place & { at: Date }) | null> {
  return (await sql.query<{ xid: string; id: string; at: Date }>(readFirst, [low]))[0] ?? null;
}

const noteLoss = (partition: string) => `
  with last as (
    select e.stored_xid, e.id from ${partition} e where ${inFeed('e')} order by e.stored_xid desc, e.id desc limit 1
  ), covered as (
    delete from feed_losses l using last where (l.last_xid, l.last_id) <= (last.stored_xid, last.id)
  )
  insert into feed_losses (last_xid, last_id) select stored_xid, id from last`;

/** Ends the cursors before the last event of a partition of events, in the transaction that drops it. */
export async function noteFeedLoss(sql: Sql, partition: string): Promise<void> {
  await sql.query({ name: '', text: noteLoss(partition) }, []);
}

const readHeldBack = {
  name: 'read_feed_held_back',
  text: `select coalesce(e.backfilled_at, e.received_at) as since from events e where e.stored_xid >= ${settledEnd} and ${inFeed('e')}
    order by e.stored_xid, e.id limit 1`,
};

/** When the first event was stored that an open transaction keeps out of the feed; null if there is none. One index entry. */
export async function heldBackSince(sql: Sql): Promise<Date | null> {
  return (await sql.query<{ since: Date }>(readHeldBack, []))[0]?.since ?? null;
}
