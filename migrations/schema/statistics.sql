-- The operators' statistics and filters, kept up to date as events are stored and change.
--
-- Each statement on events adds a few rows of differences in its own transaction. It updates nothing, so no statement waits for
-- another, and the sum of all rows is right at every moment. The worker folds the differences into one row for each hour of
-- receipt and provider, so that the counts of a day go with the day.
--
-- Counters are `integer`: their sums are several times as fast as those of bigint, and no hour of a provider has two billion
-- events. Tables of differences are filled and emptied all the time, so autovacuum visits them early.
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
  primary key (hour, provider)
);
comment on table event_stats is 'events an hour of receipt and provider; attempts are in the rows without a provider';

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
  attempts integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

-- Bucket n ends at a tenth of a millisecond times 10^(n/20): src/events/latency.ts.
create table event_latencies (hour timestamptz not null, bucket integer not null, n integer not null, primary key (hour, bucket));
comment on table event_latencies is 'deliveries an hour of delivery and bucket of their latency';

create table event_latency_deltas (hour timestamptz not null, bucket integer not null, n integer not null)
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

create table event_values (kind text not null, value text not null, day date not null, primary key (kind, value, day));
comment on table event_values is 'the values that the events of each day have: the choice of filters, and where a list need not look';

-- The primary key begins with the kind; retention deletes by day.
create index event_values_day on event_values (day);
comment on index event_values_day is 'retention: the values of a day that goes';

-- For each statement, not for each row: a batch of 256 events costs a few rows of differences.
create trigger count_stored after insert on events referencing new table as stored
for each statement execute function count_stored_events();
create trigger count_changed after update on events referencing old table as before new table as after
for each statement execute function count_changed_events();
create trigger count_attempts after insert on delivery_attempts referencing new table as made
for each statement execute function count_attempts();
