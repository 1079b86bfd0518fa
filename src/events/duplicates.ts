import type { Sql } from '../database/sql.ts';
import { ofRequest } from './siblings.ts';
import { replayIfFailed } from './transitions/replayed.ts';

/** The events of the webhook that has the key. */
const findEvents = {
  name: 'events_of_duplicate',
  text: `
    select s.id, s.request_id is null as first, s.status, s.delivery_status
    from event_dedup d join events s on ${ofRequest('d.event_id')}
    where d.key = $1`,
};

interface Row {
  id: string;
  first: boolean;
  status: string;
  delivery_status: string | null;
}

const dropKey = {
  name: 'drop_dedup_key',
  text: 'delete from event_dedup where key = $1 and not exists (select 1 from events where id = event_id)',
};

/**
 * Finds the webhook that a resent one duplicates, by its first event. Its events that have failed are replayed, unless a
 * person has ended them or their consumer was deleted: the provider usually resends a webhook because its user asked for
 * it, so it should be delivered.
 *
 * @returns the id of the webhook and the status of its first event; null when it no longer exists. Its deduplication key is
 *   then deleted.
 */
export async function resolveDuplicate(sql: Sql, dedupKey: string): Promise<{ id: string; status: string } | null> {
  const events = await sql.query<Row>(findEvents, [dedupKey]);
  const first = events.find((event) => event.first);
  if (!first) {
    await sql.query(dropKey, [dedupKey]);
    return null;
  }
  let answer: { id: string; status: string } = first;
  for (const event of events.filter(hasFailed)) {
    const replayed = await replayIfFailed(sql, event.id);
    if (replayed && event === first) answer = replayed;
  }
  return answer;
}

/** An acknowledged event, whose status is `processed`, is one that a person has ended. */
const hasFailed = ({ status, delivery_status }: Row) =>
  status === 'failed' || (delivery_status === 'failed' && status !== 'processed' && status !== 'dead');
