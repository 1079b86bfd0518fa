-- events, event_payloads, delivery_attempts and notifications have a partition for each day of receipt, created by
-- src/database/partitions.ts, so that retention can drop a whole day. Ids are UUIDv7, so a day is a range of ids, and
-- the id alone can be the primary key. There is no default partition, because rows in it would block the creation of
-- their day.
--
-- The partitions of events have fillfactor 50 (src/database/partitions.ts), so that an update of an event's state fits
-- into the same page. If an update changes no indexed column, PostgreSQL updates no index (a HOT update). So no index
-- contains `status` or `delivery_status`. The indexes contain generated columns instead, whose values do not change
-- when an event is delivered at its first attempt and its workflow is started.
create table events (
  id uuid primary key,
  account_id uuid not null,
  provider text not null,
  account_slug text not null,
  app_key text not null,
  event_type text,
  external_id text not null,
  status text not null check (status in ('received', 'enqueued', 'processed', 'failed', 'dead', 'rejected')),
  delivery_status text check (delivery_status in ('pending', 'delivered', 'failed')),
  rejection_reason text,
  generation integer not null default 0,
  generation_at timestamptz not null,
  started_generation integer not null default -1, -- -1: no workflow was started for this event yet
  run_id text,
  attempts integer not null default 0,
  scheduled_attempts integer not null default 0,
  manual_attempts integer not null default 0,
  last_error text,
  response_code integer,
  received_at timestamptz not null,
  delivered_at timestamptz,
  next_attempt_at timestamptz,
  held_since timestamptz,
  swept_at timestamptz,
  state text generated always as (case when status in ('received', 'enqueued') then 'open' else status end) stored,
  due_at timestamptz generated always as (case when delivery_status = 'pending' then next_attempt_at end) stored,
  retries integer generated always as (case when delivery_status = 'pending' and attempts > 0 then attempts end) stored,
  undelivered boolean generated always as (case when delivery_status = 'failed' then true end) stored
) partition by range (id);
comment on column events.generation_at is 'when this generation began: the 4 h limit of Retry-After counts from here';
comment on column events.manual_attempts is 'manual attempts that were requested in this generation: the highest number given to one';
comment on column events.held_since is 'since when this event waits for its account to be enabled';
comment on column events.swept_at is 'when the sweep last found this event overdue';
comment on column events.state is 'the indexed form of status: open for received and enqueued, so that the change between them updates no index';
comment on column events.due_at is 'next_attempt_at of a pending event, else null';
comment on column events.retries is 'attempts of a pending event with at least one failed attempt, else null';
comment on column events.undelivered is 'true when delivery_status is failed, else null';

-- A new event has no next attempt yet, so ingestion writes no entry to this index.
create index events_due on events (due_at) where due_at is not null;
comment on index events_due is 'sweep: overdue events; account deletion: its waiting events';

-- Lists pending events newest first without a sort, which events_due would need. Queued events may be missing in it.
create index events_waiting on events (id) where due_at is not null;
comment on index events_waiting is 'list: pending events, together with event_queue';

create index events_retrying on events (retries, id) where retries is not null;
comment on index events_retrying is 'list of events that are being retried';

-- Includes the columns that the replay of all failed events needs, so that it reads no rows of the table.
create index events_undelivered on events (id) include (account_id, app_key, provider, state) where undelivered;
comment on index events_undelivered is 'lists: failed deliveries; replay of all failed events';

-- The other part of the replay of all failed events: events that an operator marked as failed.
create index events_failed_otherwise on events (id) include (account_id, app_key, provider)
  where state = 'failed' and undelivered is null and rejection_reason is null;
comment on index events_failed_otherwise is 'replay of all failed events: those that an operator marked as failed';

-- One index for each filter of the list, with the id as second column, so that a page is read in order without a sort.
create index events_state on events (state, id);
comment on index events_state is 'list: by status';
create index events_provider on events (provider, id);
comment on index events_provider is 'list: by provider';
create index events_app_key on events (app_key, id);
comment on index events_app_key is 'list: by app_key';
create index events_account_slug on events (account_slug, id);
comment on index events_account_slug is 'list: by account_slug';
create index events_event_type on events (event_type, id) where event_type is not null;
comment on index events_event_type is 'list: by event_type';
create index events_external_id on events (external_id, id);
comment on index events_external_id is 'list: by external_id';

-- Headers and body are separate from the event, so that a change of its state rewrites a small row. Rows are never
-- updated. `json`, not `jsonb`, because headers keep their order and repetitions.
create table event_payloads (
  event_id uuid primary key,
  headers json not null,
  content_type text,
  body bytea not null,
  payload_bytes integer,
  payload_sha256 bytea,
  headers_truncated boolean,
  -- Here and not in events, whose rows are rewritten at each change of their state and would copy these 55 bytes.
  traceparent text
) partition by range (event_id);
comment on column event_payloads.payload_bytes is 'rejected webhooks: the length of the whole body; body contains its beginning; null: body is whole';
comment on column event_payloads.payload_sha256 is 'rejected webhooks: SHA-256 of the whole body; null: body is whole';
comment on column event_payloads.headers_truncated is 'rejected webhooks: whether headers were left out; null: all headers are stored';
comment on column event_payloads.traceparent is 'the span of the webhook, as in the W3C header; null: received while tracing was off';

-- The primary key identifies an attempt, so that repeating the recording has no effect.
create table delivery_attempts (
  event_id uuid not null,
  generation integer not null,
  trigger text not null check (trigger in ('schedule', 'manual')),
  number integer not null,
  started_at timestamptz not null,
  duration_ms double precision not null,
  outcome text not null,
  response_code integer,
  response_body text,
  error text,
  url text,
  waited_ms double precision,
  connect_ms double precision,
  answer_ms double precision,
  primary key (event_id, generation, trigger, number)
) partition by range (event_id);
comment on column delivery_attempts.waited_ms is 'from when the attempt was due until started_at; null: a manual attempt, or one of release 0.2.0';
comment on column delivery_attempts.connect_ms is 'from started_at until the request could be sent: DNS, TCP and TLS; null: no connection';
comment on column delivery_attempts.answer_ms is 'from then until the head of the answer; null: no answer';

-- Not partitioned, because a unique key cannot span partitions by event id, and copies of a webhook can arrive on two
-- days.
create table event_dedup (key uuid primary key, event_id uuid not null, expires_at timestamptz not null);
