-- trigger: adds the differences that an update of events makes to the statistics
--
-- Latencies are counted in twenty buckets per power of ten, each 12 % wide. Bucket 0 ends at 0.1 ms
-- (src/events/latency.ts).
create or replace function count_changed_events() returns trigger language plpgsql as $$
begin
  with change as materialized (
    select 1 as sign, received_at, provider, rejection_reason, generation_at, delivered_at, delivery_status, state, retries from after
    union all
    select -1, received_at, provider, rejection_reason, generation_at, delivered_at, delivery_status, state, retries from before
  ), latencies as (
    insert into event_latency_deltas (hour, bucket, n)
    select * from (
      select date_bin('1 hour', delivered_at, timestamptz '2000-01-01 00:00:00+00') as hour,
        ceil(20 * log(greatest(extract(epoch from delivered_at - generation_at)::double precision * 10000, 1)))::integer as bucket,
        sum(sign) as n
      from change where delivered_at is not null group by 1, 2
    ) d where n <> 0
  )
  insert into event_stat_deltas (hour, provider, stored, pending, delivered, failed, retrying, rejected, open_state, processed_state, failed_state, dead_state, rejected_state)
  select * from (
    select date_bin('1 hour', received_at, timestamptz '2000-01-01 00:00:00+00') as hour, provider,
      coalesce(sum(sign) filter (where true), 0) as stored,
      coalesce(sum(sign) filter (where delivery_status = 'pending'), 0) as pending,
      coalesce(sum(sign) filter (where delivery_status = 'delivered'), 0) as delivered,
      coalesce(sum(sign) filter (where delivery_status = 'failed'), 0) as failed,
      coalesce(sum(sign) filter (where retries is not null), 0) as retrying,
      coalesce(sum(sign) filter (where rejection_reason is not null), 0) as rejected,
      coalesce(sum(sign) filter (where state = 'open'), 0) as open_state,
      coalesce(sum(sign) filter (where state = 'processed'), 0) as processed_state,
      coalesce(sum(sign) filter (where state = 'failed'), 0) as failed_state,
      coalesce(sum(sign) filter (where state = 'dead'), 0) as dead_state,
      coalesce(sum(sign) filter (where state = 'rejected'), 0) as rejected_state
    from change group by 1, 2
  ) d where stored <> 0 or pending <> 0 or delivered <> 0 or failed <> 0 or retrying <> 0 or rejected <> 0 or open_state <> 0 or processed_state <> 0 or failed_state <> 0 or dead_state <> 0 or rejected_state <> 0;
  return null;
end $$;
