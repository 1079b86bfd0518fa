-- trigger: adds the differences that an update of events makes to the statistics
create or replace function count_changed_events() returns trigger language plpgsql as $$
begin
  with change as materialized (
    select 1 as sign, received_at, provider, rejection_reason, generation_at, delivered_at, delivery_status, state, retries, skipped_reason from after
    union all
    select -1, received_at, provider, rejection_reason, generation_at, delivered_at, delivery_status, state, retries, skipped_reason from before
  ), latencies as (
    insert into event_latency_deltas (hour, bucket, n)
    select * from (
      select start_of_hour(delivered_at) as hour, latency_bucket(delivered_at - generation_at) as bucket, sum(sign) as n
      from change where delivered_at is not null group by 1, 2
    ) d where n <> 0
  )
  insert into event_stat_deltas (hour, provider, stored, pending, delivered, failed, retrying, rejected, open_state, processed_state, failed_state, dead_state, rejected_state)
  select * from (
    select start_of_hour(received_at) as hour, provider,
      sum(c.stored) as stored, sum(c.pending) as pending, sum(c.delivered) as delivered, sum(c.failed) as failed,
      sum(c.retrying) as retrying, sum(c.rejected) as rejected, sum(c.open_state) as open_state,
      sum(c.processed_state) as processed_state, sum(c.failed_state) as failed_state, sum(c.dead_state) as dead_state,
      sum(c.rejected_state) as rejected_state
    from change cross join lateral event_counters(sign, delivery_status, state, retries, rejection_reason, false, skipped_reason is not null) c
    group by 1, 2
  ) d where stored <> 0 or pending <> 0 or delivered <> 0 or failed <> 0 or retrying <> 0 or rejected <> 0 or open_state <> 0 or processed_state <> 0 or failed_state <> 0 or dead_state <> 0 or rejected_state <> 0;
  return null;
end $$;
