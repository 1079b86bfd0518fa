-- How the consumer of each account fares, by the hour: src/delivery/consumers/.
create table account_deliveries (
  account_id uuid not null,
  hour timestamptz not null,
  attempts integer not null,
  failed_attempts integer not null,
  exhausted integer not null,
  -- the histogram of the attempts' durations: numbers[i] attempts in the bucket buckets[i] (src/events/latency.ts)
  buckets integer[] not null,
  numbers integer[] not null,
  primary key (account_id, hour)
);
comment on table account_deliveries is 'attempts of each account by the hour of their beginning; written by each worker every few seconds, kept for 32 days';
create index account_deliveries_hour on account_deliveries (hour);
comment on index account_deliveries_hour is 'deletion of hours that are no longer kept';
-- Few accounts have failures in an hour, however many there are.
create index account_deliveries_failing on account_deliveries (hour) where failed_attempts > 0;
comment on index account_deliveries_failing is 'the accounts with the most failed attempts';
