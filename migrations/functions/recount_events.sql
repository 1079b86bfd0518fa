-- recalculates the statistics from the tables, after events were loaded without triggers
create or replace function recount_events() returns void language plpgsql as $$
begin
  truncate event_stats, event_stat_deltas, event_latencies, event_latency_deltas, event_values;
  insert into event_stats (hour, provider, stored, pending, delivered, failed, retrying, rejected, open_state, processed_state, failed_state, dead_state, rejected_state)
  select date_bin('1 hour', received_at, timestamptz '2000-01-01 00:00:00+00') as hour, provider,
    coalesce(count(*) filter (where true), 0) as stored,
    coalesce(count(*) filter (where delivery_status = 'pending'), 0) as pending,
    coalesce(count(*) filter (where delivery_status = 'delivered'), 0) as delivered,
    coalesce(count(*) filter (where delivery_status = 'failed'), 0) as failed,
    coalesce(count(*) filter (where retries is not null), 0) as retrying,
    coalesce(count(*) filter (where rejection_reason is not null), 0) as rejected,
    coalesce(count(*) filter (where state = 'open'), 0) as open_state,
    coalesce(count(*) filter (where state = 'processed'), 0) as processed_state,
    coalesce(count(*) filter (where state = 'failed'), 0) as failed_state,
    coalesce(count(*) filter (where state = 'dead'), 0) as dead_state,
    coalesce(count(*) filter (where state = 'rejected'), 0) as rejected_state
  from events group by 1, 2;
  insert into event_stats (hour, provider, attempts)
  select date_bin('1 hour', uuid_extract_timestamp(event_id), timestamptz '2000-01-01 00:00:00+00') as hour, '' as provider, count(*) as attempts
  from delivery_attempts group by 1, 2;
  insert into event_latencies (hour, bucket, n)
  select date_bin('1 hour', delivered_at, timestamptz '2000-01-01 00:00:00+00') as hour,
    ceil(20 * log(greatest(extract(epoch from delivered_at - generation_at)::double precision * 10000, 1)))::integer as bucket,
    count(*) as n
  from events where delivered_at is not null group by 1, 2;
  insert into event_values (kind, value, day)
  select v.kind, v.value, v.day from (
    select distinct on (v.kind, v.value, day) v.kind, v.value, (received_at at time zone 'UTC')::date as day
    from events cross join lateral (values
      ('account_slug', account_slug),
      ('app_key', app_key),
      (case when rejection_reason is null then 'event_type' else 'rejected_event_type' end, event_type),
      ('provider', provider)
    ) as v (kind, value)
    where v.value is not null order by v.kind, v.value, day
  ) v
  where not exists (select 1 from event_values known where known.kind = v.kind and known.value = v.value and known.day = v.day)
  on conflict do nothing;
end $$;
