-- recalculates the statistics from the tables, after events were loaded without triggers
create or replace function recount_events() returns void language plpgsql as $$
begin
  truncate event_stats, event_stat_deltas, event_latencies, event_latency_deltas, event_values;
  insert into event_stats (hour, provider, stored, pending, delivered, failed, retrying, rejected, open_state, processed_state, failed_state, dead_state, rejected_state, siblings, skipped)
  select start_of_hour(received_at), provider,
    sum(c.stored), sum(c.pending), sum(c.delivered), sum(c.failed), sum(c.retrying), sum(c.rejected),
    sum(c.open_state), sum(c.processed_state), sum(c.failed_state), sum(c.dead_state), sum(c.rejected_state),
    sum(c.siblings), sum(c.skipped)
  from events cross join lateral event_counters(1, delivery_status, state, retries, rejection_reason, request_id is not null, skipped_reason is not null) c
  group by 1, 2;
  insert into event_stats (hour, provider, attempts, failed_attempts)
  select start_of_hour(uuid_extract_timestamp(event_id)), '', count(*), count(*) filter (where outcome <> 'delivered') from delivery_attempts group by 1, 2;
  insert into event_latencies (hour, bucket, n)
  select start_of_hour(delivered_at), latency_bucket(delivered_at - generation_at), count(*)
  from events where delivered_at is not null group by 1, 2;
  insert into event_values (kind, value, day)
  select distinct v.kind, v.value, (received_at at time zone 'UTC')::date
  from events cross join lateral event_filter_values(account_slug, app_key, event_type, rejection_reason, provider) v
  where v.value is not null;
end $$;
