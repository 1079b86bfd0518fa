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
 * The event that a resent webhook is a duplicate of. One that has failed is replayed: the provider sends it again
 * because somebody asked it to, and the event is to be delivered.
 *
 * @returns null when that event is gone; its key is gone then, too.
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
