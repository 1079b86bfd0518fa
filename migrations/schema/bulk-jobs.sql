-- Operators' orders to change many events. Workers change the events in batches. Each batch is one transaction that also
-- moves the position, so that a crash neither repeats nor skips an event.
create table bulk_jobs (
  id uuid primary key,
  action text not null check (action in ('replay', 'retry', 'ack', 'dead')),
  error text,
  filter json,
  event_ids uuid[],
  state text not null default 'running' check (state in ('running', 'stopping', 'stopped', 'done', 'failed')),
  reason text,
  ordered_by text not null,
  ordered_from text not null,
  total integer,
  done integer not null default 0,
  failed integer not null default 0,
  skipped jsonb not null default '{}',
  next_event uuid,
  last_event uuid,
  slice_ms integer not null,
  batch_from uuid,
  batch_to uuid,
  batch_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  next_batch_at timestamptz not null default now(),
  lease_token uuid,
  lease_until timestamptz,
  check ((filter is null) <> (event_ids is null))
);
comment on column bulk_jobs.error is 'for dead: the last_error of the events';
comment on column bulk_jobs.ordered_from is 'the address of the client, for the audit entry at the end';
comment on column bulk_jobs.total is 'events that matched when the job was ordered; null: too many to count';
comment on column bulk_jobs.skipped is 'events that were left as they are: a count for each reason';
comment on column bulk_jobs.next_event is 'with a filter: the lowest id that was not looked at yet';
comment on column bulk_jobs.last_event is 'with a filter: the highest id when the job was ordered; null: there was no event';
comment on column bulk_jobs.slice_ms is 'with a filter: the span of time of receipt that one statement reads';
comment on column bulk_jobs.batch_from is 'the lowest event of the last batch, with batch_to the highest';
-- Polled several times a second, and nearly always empty.
create index bulk_jobs_unfinished on bulk_jobs (next_batch_at) where ended_at is null;
comment on index bulk_jobs_unfinished is 'workers: the next batch';
