-- What destinations are told of exhausted events. A notification holds the destination as it was at that moment, so that a
-- later change of the destination changes nothing about it. The config stays in its box, which names account and destination.
-- Partitions have fillfactor 80 (src/database/partitions.ts): each try updates the row, and the update stays in its page.
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
comment on column notifications.ordinal is 'the order of the destinations at that moment';
comment on column notifications.event_error is 'why the last attempt of the generation failed';
comment on column notifications.event_attempts is 'how many attempts the generation had had';
comment on column notifications.attempts is 'tries that were begun; also names who holds the claim';
comment on column notifications.due_at is 'pending: when the next try may begin, which is also when the claim on this one ends';
comment on column notifications.summary_id is 'suppressed: the message that it was folded into';

-- Partial: of all notifications only the few that are not sent yet.
create index notifications_due on notifications (destination_id, due_at) where status = 'pending';
comment on index notifications_due is 'sweep: what nobody has sent although it is due; bursts: what a destination is yet to get';

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
comment on table notification_summaries is 'one message about events that came too thick to be told of one by one; grows until due_at';

-- Partial: the worker polls for due summaries, and sent ones stay in the table.
create index notification_summaries_due on notification_summaries (due_at) where status = 'pending';
comment on index notification_summaries_due is 'worker: summaries whose time has come';

create table notification_bursts (destination_id uuid primary key, told_at timestamptz[] not null, summary_id uuid);
comment on table notification_bursts is 'when a destination was told of late, and the summary that takes what comes now';

create trigger refuse_retired_key before insert or update of config on notifications
for each row execute function refuse_retired_key('config');
create trigger refuse_retired_key before insert or update of config on notification_summaries
for each row execute function refuse_retired_key('config');
