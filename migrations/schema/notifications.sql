-- The notifications of destinations about exhausted events. A notification contains a copy of the destination, so that
-- a later change of the destination does not affect it. The config is copied in its box, which is bound to account and
-- destination. Partitions have fillfactor 80 (src/database/partitions.ts): each try updates the row, and the update
-- stays in its page.
create table notifications (
  event_id uuid not null,
  generation integer not null,
  destination_id uuid not null,
  account_id uuid not null,
  destination_type text not null,
  name varchar(200) not null,
  config bytea not null,
  ordinal integer not null,
  failed_at timestamptz not null,
  event_error text,
  event_attempts integer not null,
  event_response_code integer,
  status text not null check (status in ('pending', 'sent', 'failed', 'suppressed')),
  attempts integer not null default 0,
  due_at timestamptz,
  error text,
  sent_at timestamptz,
  summary_id uuid,
  primary key (event_id, generation, destination_id)
) partition by range (event_id);
comment on column notifications.ordinal is 'the position of the destination when the notification was created';
comment on column notifications.event_error is 'why the last attempt of the generation failed';
comment on column notifications.event_attempts is 'how many attempts the generation had';
comment on column notifications.attempts is 'tries that were begun; also identifies the claim on the present try';
comment on column notifications.due_at is 'pending: when the next try may begin; during a try, when its claim expires';
comment on column notifications.summary_id is 'suppressed: the summary that replaces this notification';

-- Partial, so that it only contains the few notifications that are not settled yet.
create index notifications_due on notifications (destination_id, due_at) where status = 'pending';
comment on index notifications_due is 'sweep: overdue notifications; bursts: the pending notifications of a destination';

create table notification_summaries (
  id uuid primary key,
  destination_id uuid not null,
  account_id uuid not null,
  destination_type text not null,
  config bytea not null,
  provider text not null,
  account_slug text not null,
  app_key text not null,
  events integer not null,
  first_event_ids uuid[] not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null,
  first_failed_at timestamptz not null,
  last_failed_at timestamptz not null,
  status text not null check (status in ('pending', 'sent', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz,
  error text,
  sent_at timestamptz
);
comment on table notification_summaries is 'one message about many exhausted events (NOTIFY_BURST); events are added until due_at';

-- Partial, because the worker polls for due summaries, and sent ones remain in the table.
create index notification_summaries_due on notification_summaries (due_at) where status = 'pending';
comment on index notification_summaries_due is 'worker: due summaries';

create table notification_bursts (destination_id uuid primary key, told_at timestamptz[] not null, summary_id uuid);
comment on table notification_bursts is 'when a destination was recently notified, and its open summary, which takes further events';

create trigger refuse_retired_key before insert or update of config on notifications
for each row execute function refuse_retired_key('config');
create trigger refuse_retired_key before insert or update of config on notification_summaries
for each row execute function refuse_retired_key('config');
