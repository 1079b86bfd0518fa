import type { Sql } from '../database/sql.ts';
import { replayIfFailed } from './transitions/replayed.ts';

const findFirst = {
  name: 'first_of_duplicates',
  text: `select e.id, e.status, e.delivery_status from event_dedup d join events e on e.id = d.event_id where d.key = $1`,
};

interface Row {
  id: string;
  status: string;
  delivery_status: string | null;
}

const dropKey = {
  name: 'drop_dedup_key',
  text: 'delete from event_dedup where key = $1 and not exists (select 1 from events where id = event_id)',
};

/**
 * Finds the event that a resent webhook duplicates. If that event has failed, it is replayed: the provider usually
 * resends a webhook because its user asked for it, so the event should be delivered.
 *
 * @returns null when the event no longer exists; its deduplication key is then deleted.
 */
export async function resolveDuplicate(sql: Sql, dedupKey: string): Promise<{ id: string; status: string } | null> {
  const [first] = await sql.query<Row>(findFirst, [dedupKey]);
  if (!first) {
    await sql.query(dropKey, [dedupKey]);
    return null;
  }
  if (first.status !== 'failed' && first.delivery_status !== 'failed') return first;
  return (await replayIfFailed(sql, first.id)) ?? first;
}
