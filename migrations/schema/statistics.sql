-- The operators' statistics and filter values, updated by triggers when events are stored and changed.
--
-- Each statement on events inserts a few rows of differences (deltas) in its own transaction. It updates no row, so
-- that no statement waits for another. The sum of all rows is right at every moment. The worker folds the deltas into
-- one row per hour of receipt and provider, so that retention can delete the counts of a day.
--
-- Counters are `integer`, because summing them is several times faster than summing bigint, and no provider has two
-- billion events per hour. The delta tables are filled and emptied continually, so autovacuum has low thresholds.
create table event_stats (
  hour timestamptz not null,
  provider text not null,
  stored integer not null default 0,
  pending integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  retrying integer not null default 0,
  rejected integer not null default 0,
  open_state integer not null default 0,
  processed_state integer not null default 0,
  failed_state integer not null default 0,
  dead_state integer not null default 0,
  rejected_state integer not null default 0,
  attempts integer not null default 0,
  minute timestamptz,
  primary key (hour, provider)
);
comment on table event_stats is 'number of events per hour of receipt and provider; attempts are in rows with an empty provider';
comment on column event_stats.minute is 'null: version 0.2.0 selects all columns of this table and its deltas together';
-- The number of pending deliveries is read every few seconds, and without a limit of retention the table grows by a row
-- per hour and provider.
create index event_stats_pending on event_stats (hour) where pending <> 0;
comment on index event_stats_pending is 'metrics: the number of pending events and their oldest hour';

create table event_stat_deltas (
  hour timestamptz not null,
  provider text not null,
  stored integer not null default 0,
  pending integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  retrying integer not null default 0,
  rejected integer not null default 0,
  open_state integer not null default 0,
  processed_state integer not null default 0,
  failed_state integer not null default 0,
  dead_state integer not null default 0,
  rejected_state integer not null default 0,
  attempts integer not null default 0,
  -- The triggers name their columns, so that the default gives each delta the minute of its change.
  minute timestamptz default date_trunc('minute', now())
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
comment on column event_stat_deltas.minute is 'when the change was made';

-- Bucket n ends at 0.1 ms * 10^(n/20): src/events/latency.ts.
create table event_latencies (
  hour timestamptz not null,
  bucket integer not null,
  n integer not null,
  minute timestamptz,
  primary key (hour, bucket)
);
comment on table event_latencies is 'number of deliveries per hour of delivery and latency bucket';
comment on column event_latencies.minute is 'null: version 0.2.0 selects all columns of this table and its deltas together';

create table event_latency_deltas (
  hour timestamptz not null,
  bucket integer not null,
  n integer not null,
  minute timestamptz default date_trunc('minute', now())
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
comment on column event_latency_deltas.minute is 'when the change was made';

-- What happened in each minute and hour (GET /admin/delivery/series), while event_stats counts by the hour of receipt.
create table event_series (
  minutes integer not null check (minutes in (1, 60)),
  at timestamptz not null,
  provider text not null,
  received integer not null default 0,
  rejected integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  pending_change integer not null default 0,
  attempts integer not null default 0,
  primary key (minutes, at, provider)
);
comment on table event_series is 'what happened in each minute (48 hours) and hour (32 days); attempts are in rows with an empty provider';

create table event_series_latencies (
  minutes integer not null check (minutes in (1, 60)),
  at timestamptz not null,
  bucket integer not null,
  n integer not null,
  primary key (minutes, at, bucket)
);
comment on table event_series_latencies is 'number of deliveries per minute or hour of their recording and latency bucket';

create table event_values (kind text not null, value text not null, day date not null, primary key (kind, value, day));
comment on table event_values is 'the values of the events of each day: the filters to choose from, and the days that a list can skip';

-- Retention deletes by day, but the primary key begins with the kind.
create index event_values_day on event_values (day);
comment on index event_values_day is 'retention: the values of a deleted day';

-- Per statement, not per row, so that a batch of 256 events inserts only a few delta rows.
create trigger count_stored after insert on events referencing new table as stored
for each statement execute function count_stored_events();
create trigger count_changed after update on events referencing old table as before new table as after
for each statement execute function count_changed_events();
create trigger count_attempts after insert on delivery_attempts referencing new table as made
for each statement execute function count_attempts();
