-- trigger: adds stored events to the statistics and their values to event_values
create or replace function count_stored_events() returns trigger language plpgsql as $$
begin
  -- The insert of values is sorted by key, so that concurrent batches never deadlock. A value that is already stored for
  -- its day costs one index lookup.
  with kinds as materialized (
    select start_of_hour(received_at) as hour, provider, app_key, account_slug, event_type, delivery_status, state, rejection_reason, retries, request_id is not null as sibling,
      skipped_reason is not null as skipped, count(*)::integer as n
    from stored group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
  ), counts as (
    insert into event_stat_deltas (hour, provider, stored, pending, delivered, failed, retrying, rejected, open_state, processed_state, failed_state, dead_state, rejected_state, siblings, skipped)
    select hour, provider,
      sum(c.stored), sum(c.pending), sum(c.delivered), sum(c.failed), sum(c.retrying), sum(c.rejected),
      sum(c.open_state), sum(c.processed_state), sum(c.failed_state), sum(c.dead_state), sum(c.rejected_state),
      sum(c.siblings), sum(c.skipped)
    from kinds k cross join lateral event_counters(n, delivery_status, state, retries, rejection_reason, sibling, k.skipped) c
    group by 1, 2
  )
  insert into event_values (kind, value, day)
  select v.kind, v.value, v.day from (
    select distinct on (v.kind, v.value, day) v.kind, v.value, (hour at time zone 'UTC')::date as day
    from kinds cross join lateral event_filter_values(account_slug, app_key, event_type, rejection_reason, provider) v
    where v.value is not null order by v.kind, v.value, day
  ) v
  where not exists (select 1 from event_values known where known.kind = v.kind and known.value = v.value and known.day = v.day)
  on conflict do nothing;
  return null;
end $$;
