import type { DatabaseFailure } from '../../database/errors.ts';
import { type CircumstanceRow, circumstanceColumns } from '../attempt-row.ts';
import { channels } from '../event.ts';
import { lanes } from '../lanes.ts';

/** A verified webhook that is to be stored. */
export interface ReceivedEvent {
  id: string;
  accountId: string;
  provider: string;
  accountSlug: string;
  appKey: string;
  eventType: string | null;
  externalId: string;
  receivedAt: Date;
  /** `[name, value]` pairs, as JSON, secrets masked. */
  headers: string;
  contentType: string | null;
  body: Uint8Array;
  /** A UUID made of a hash. Of the webhooks of a key, only the first one is stored. Null: not deduplicated. */
  dedupKey: string | null;
  /** How long the key is kept, in seconds. */
  dedupWindowS: number;
  /** The span of the webhook, to which the spans of attempts link; null while tracing is off. */
  traceparent: string | null;
}

export type Receipt =
  | { kind: 'stored' }
  | { kind: 'duplicate' }
  /** The account was deleted or disabled after it was read. */
  | { kind: 'refused' }
  | { kind: 'failed'; failure: DatabaseFailure };

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the webhook is verified and stored | `received` | `pending` |
 *
 * The same statement stores the deduplication key, the payload, and the row in the queue that the relay claims. Nothing
 * is stored for a duplicate, or if the account was deleted or disabled after it was read. The clock of
 * PostgreSQL sets when the key expires, and decides when it has expired.
 *
 * An event with a place in the relay of this process is queued as claimed ($12), and no relay is notified. The rows of the
 * answer that are asked to ($13) tell about their accounts what the first attempts need.
 */
export const receiveEvents = {
  name: 'receive_events',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::json[], $7::text[],
                           $8::integer[], $9::integer[], $10::uuid[], $12::uuid[], $13::boolean[], $14::text[], $15::text[], $16::text[], $17::text[],
                           $18::integer[])
        as t (id, account_id, event_type, external_id, received_at, headers, content_type, body_begin, body_bytes, dedup_key, token, tells,
              provider, account_slug, app_key, traceparent, dedup_window_s)
    ), live as (
      select i.* from input i join accounts a on a.id = i.account_id where a.enabled and a.deleted_at is null
    ), first as (
      insert into event_dedup as d (key, event_id, expires_at)
      select dedup_key, id, now() + make_interval(secs => dedup_window_s) from live where dedup_key is not null order by dedup_key
      on conflict (key) do update set event_id = excluded.event_id, expires_at = excluded.expires_at where d.expires_at <= now()
      returning d.event_id
    ), accepted as (
      select l.* from live l where l.dedup_key is null or l.id in (select event_id from first)
    ), stored as (
      insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status, generation_at, received_at)
      select id, account_id, provider, account_slug, app_key, event_type, external_id, 'received', 'pending', received_at, received_at from accepted
    ), payloads as (
      insert into event_payloads (event_id, headers, content_type, body, traceparent)
      select id, headers, content_type, substring($11::bytea from body_begin for body_bytes), traceparent from accepted
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane, claim_token, claimed_until)
      select id, account_id, 0, ${lanes.firstAttempt}, token, case when token is not null then 'infinity'::timestamptz end
      from accepted
    ), told as materialized (
      select pg_notify('${channels.queue}', account_id::text) from (select distinct account_id from accepted where token is null) w
    )
    select i.id, l.id is not null as live, c.id is not null as accepted, (select count(*) from told) as told, i.tells, ${circumstanceColumns}
    from input i left join live l on l.id = i.id left join accepted c on c.id = i.id
      left join accounts a on i.tells and a.id = i.account_id`,
};

export interface ReceivedRow extends CircumstanceRow {
  id: string;
  live: boolean;
  accepted: boolean;
  tells: boolean;
}
