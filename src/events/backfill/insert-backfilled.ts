import type { Sql } from '../../database/sql.ts';
import { uuidMs } from '../../database/uuid-time.ts';
import { channels } from '../event.ts';
import { newEventId } from '../event-id.ts';
import { idRange } from '../id-range.ts';
import { lanes } from '../lanes.ts';
import { ofRequest } from '../siblings.ts';
import type { BackfillTarget } from './backfill-target.ts';
import { storedConsumer } from './missing-webhooks.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | a consumer gets an event of a webhook that was stored before | `received` | `pending` |
 *
 * The event is queued like one that was due while it could not be sent (../transitions/queued-to-wait.ts): an api makes
 * its first attempt when no new event waits for one. In the lane of first attempts it would come before new events,
 * because claims take the lowest ids first. If no api makes attempts, it gets its workflow.
 */
const insertEvents = {
  name: 'insert_backfilled_events',
  text: `
    with wanted as (
      select * from unnest($1::uuid[], $2::uuid[]) as t (id, request_id)
    ), made as (
      insert into events (id, request_id, consumer_id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status,
        generation_at, received_at, backfilled_at, bulk_job_id)
      select w.id, e.id, $3, e.account_id, e.provider, e.account_slug, e.app_key, e.event_type, e.external_id, 'received', 'pending',
        now(), e.received_at, now(), $7
      from wanted w join events e on e.id = w.request_id and e.id between $5 and $6
      where (select 1 from events s where ${ofRequest('e.id')} and s.id between $5 and $6 and s.skipped_reason is null
          and s.consumer_id is not distinct from $3 limit 1) is null
      order by w.id
      returning id
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane, direct) select id, $4, 0, ${lanes.pendingStart}, true from made
    ), told as materialized (
      select pg_notify('${channels.queue}', $4::text) from (select from made limit 1) m
    )
    select count(*)::integer as made, (select count(*)::integer from told) as told from made`,
};

/**
 * Makes an event of the consumer for each of these webhooks for which it has none.
 *
 * @param sql must be in a transaction that no other one can be beside that makes events of the consumer.
 * @param webhooks ids of first events, sorted
 * @returns how many it made.
 */
export async function insertBackfilled(
  sql: Sql,
  target: BackfillTarget & { jobId: string },
  webhooks: readonly string[],
): Promise<number> {
  const ids = webhooks.map((id) => newEventId(new Date(uuidMs(id))));
  const [row] = await sql.query<{ made: number; told: number }>(insertEvents, [
    ...[ids, webhooks, storedConsumer(target), target.consumerId],
    ...idRange(webhooks),
    target.jobId,
  ]);
  return row?.made ?? 0;
}
