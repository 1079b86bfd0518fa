import type { DatabaseFailure } from '../../database/errors.ts';
import { type CircumstanceRow, circumstanceColumns } from '../attempt-row.ts';
import { channels } from '../event.ts';
import { lanes } from '../lanes.ts';
import { isPaused } from '../pause.ts';
import { maySend } from '../queue.ts';

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

/** A verified webhook with the consumers that want it: an event for each of them. The first one has the id of the webhook. */
export interface ReceivedWebhook extends ReceivedEvent {
  /** The consumer of the first event; null: `default`. */
  consumerId: string | null;
  /** The events of the other consumers. Their ids have the time of the webhook's. */
  siblings: readonly { id: string; consumerId: string | null }[];
  /** Why the webhook has no consumer. Then its event is never delivered. */
  skippedReason: 'no_consumer_matched' | null;
  /** Names of consumers whose condition did not hold; null: there are none. */
  unmatched: readonly string[] | null;
  /** `accounts.consumers_revision` by which the consumers were chosen. */
  consumersRevision: number;
}

export type Receipt =
  | { kind: 'stored' }
  | { kind: 'duplicate' }
  /** The account was deleted or disabled, or its consumers were changed, after they were read. */
  | { kind: 'refused' }
  | { kind: 'failed'; failure: DatabaseFailure };

/** The parts of the statement for a batch without siblings: which events are made, and what is asked about them. */
const alone = {
  made: { query: '', name: 'accepted', requestId: 'null' },
  asked: { query: '', name: 'input', requestId: 'q.id' },
};

/** The parts for a batch with siblings: $23 to $27 are the events of webhooks after their first ones. */
const withSiblings: typeof alone = {
  made: {
    query: `, siblings as (
      select unnest($23::uuid[]) as id, unnest($24::uuid[]) as request_id, unnest($25::uuid[]) as consumer_id,
        unnest($26::uuid[]) as token, unnest($27::boolean[]) as tells
    ), made as (
      select id, null::uuid as request_id, consumer_id, token, account_id, provider, account_slug, app_key, event_type, external_id, received_at, skipped_reason
      from accepted
      union all
      select s.id, a.id, s.consumer_id, s.token, account_id, provider, account_slug, app_key, event_type, external_id, received_at, null
      from siblings s join accepted a on a.id = s.request_id
    )`,
    name: 'made',
    requestId: 'request_id',
  },
  asked: {
    query: `, asked as (
      select id, id as request_id, account_id, consumer_id, tells from input
      union all
      select s.id, s.request_id, i.account_id, s.consumer_id, s.tells from siblings s join input i on i.id = s.request_id where s.tells
    )`,
    name: 'asked',
    requestId: 'q.request_id',
  },
};

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the webhook is verified and stored | `received` | `pending` |
 * | it is stored, and no consumer wants it | `enqueued` | `null` |
 *
 * The same statement stores the deduplication key, the payload, an event for each consumer, and the rows in the queue that
 * the relay claims. Nothing is stored for a duplicate, or if the account was deleted or disabled or its consumers changed
 * after they were read. The clock of PostgreSQL sets when the key expires, and decides when it has expired.
 *
 * An event with a place in the relay of this process is queued as claimed ($12), and no relay is notified; nor is one of an event
 * that may not be sent, because the call that resumes or enables its consumer does that. The rows of the answer that are asked
 * to ($13) tell about their consumers what the first attempts need. A batch without siblings has a statement of its own,
 * which takes 4 to 6 % less of PostgreSQL's time. The arrays are unnested in the list of columns: in `from`, PostgreSQL keeps
 * a store of rows for each of them.
 */
const textOf = ({ made, asked }: typeof alone) => `
    with input as (
      select unnest($1::uuid[]) as id, unnest($2::uuid[]) as account_id, unnest($3::text[]) as event_type,
        unnest($4::text[]) as external_id, unnest($5::timestamptz[]) as received_at, unnest($6::json[]) as headers,
        unnest($7::text[]) as content_type, unnest($8::integer[]) as body_begin, unnest($9::integer[]) as body_bytes,
        unnest($10::uuid[]) as dedup_key, unnest($12::uuid[]) as token, unnest($13::boolean[]) as tells,
        unnest($14::text[]) as provider, unnest($15::text[]) as account_slug, unnest($16::text[]) as app_key,
        unnest($17::text[]) as traceparent, unnest($18::integer[]) as dedup_window_s, unnest($19::uuid[]) as consumer_id,
        unnest($20::text[]) as skipped_reason, unnest($21::json[]) as unmatched, unnest($22::integer[]) as revision
    ), live as (
      select i.* from input i join accounts a on a.id = i.account_id
      where a.enabled and a.deleted_at is null and a.consumers_revision = i.revision
    ), first as (
      insert into event_dedup as d (key, event_id, expires_at)
      select dedup_key, id, now() + make_interval(secs => dedup_window_s) from live where dedup_key is not null order by dedup_key
      on conflict (key) do update set event_id = excluded.event_id, expires_at = excluded.expires_at where d.expires_at <= now()
      returning d.event_id
    ), accepted as (
      select l.* from live l where l.dedup_key is null or l.id in (select event_id from first)
    )${made.query}, stored as (
      insert into events (id, request_id, consumer_id, account_id, provider, account_slug, app_key, event_type, external_id, status, delivery_status,
        generation_at, received_at, skipped_reason)
      select id, ${made.requestId}, consumer_id, account_id, provider, account_slug, app_key, event_type, external_id,
        case when skipped_reason is null then 'received' else 'enqueued' end, case when skipped_reason is null then 'pending' end,
        received_at, received_at, skipped_reason
      from ${made.name}
    ), payloads as (
      insert into event_payloads (event_id, headers, content_type, body, traceparent, unmatched)
      select id, headers, content_type, substring($11::bytea from body_begin for body_bytes), traceparent,
        case when unmatched is not null then array(select json_array_elements_text(unmatched)) end
      from accepted
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane, claim_token, claimed_until)
      select id, coalesce(consumer_id, account_id), 0, ${lanes.firstAttempt}, token, case when token is not null then 'infinity'::timestamptz end
      from ${made.name} where skipped_reason is null
    ), told as materialized (
      select pg_notify('${channels.queue}', owner::text)
      from (select distinct coalesce(consumer_id, account_id) as owner from ${made.name} where token is null and skipped_reason is null) w
      where not ${isPaused} and ${maySend('w.owner')}
    )${asked.query}
    select q.id, l.id is not null as live, y.id is not null as accepted, (select count(*) from told) as told, q.tells, ${circumstanceColumns}
    from ${asked.name} q left join live l on l.id = ${asked.requestId} left join accepted y on y.id = ${asked.requestId}
      left join accounts a on q.tells and a.id = q.account_id
      left join consumers c on q.tells and c.id = coalesce(q.consumer_id, q.account_id)`;

/** Stores webhooks of which each has one event. */
export const receiveEvents = { name: 'receive_events', text: textOf(alone) };

/** Stores webhooks of which some have further events, `siblings`. */
export const receiveEventsWithSiblings = { name: 'receive_events_with_siblings', text: textOf(withSiblings) };

export interface ReceivedRow extends CircumstanceRow {
  id: string;
  live: boolean;
  accepted: boolean;
  tells: boolean;
}
