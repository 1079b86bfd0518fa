-- trigger: adds stored events to the statistics and their values to event_values
create or replace function count_stored_events() returns trigger language plpgsql as $$
begin
  -- Event types of rejected webhooks have a separate kind: any sender can choose them, so they must not fill the
  -- operators' list of filters. The insert is sorted by key, so that concurrent batches never deadlock. A value that is
  -- already stored for its day costs one index lookup.
  with kinds as materialized (
    select date_bin('1 hour', received_at, timestamptz '2000-01-01 00:00:00+00') as received_at, provider, app_key, account_slug, event_type, delivery_status, state, rejection_reason, retries, count(*) as n
    from stored group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  ), counts as (
    insert into event_stat_deltas (hour, provider, stored, pending, delivered, failed, retrying, rejected, open_state, processed_state, failed_state, dead_state, rejected_state)
    select date_bin('1 hour', received_at, timestamptz '2000-01-01 00:00:00+00') as hour, provider,
      coalesce(sum(n) filter (where true), 0) as stored,
      coalesce(sum(n) filter (where delivery_status = 'pending'), 0) as pending,
      coalesce(sum(n) filter (where delivery_status = 'delivered'), 0) as delivered,
      coalesce(sum(n) filter (where delivery_status = 'failed'), 0) as failed,
      coalesce(sum(n) filter (where retries is not null), 0) as retrying,
      coalesce(sum(n) filter (where rejection_reason is not null), 0) as rejected,
      coalesce(sum(n) filter (where state = 'open'), 0) as open_state,
      coalesce(sum(n) filter (where state = 'processed'), 0) as processed_state,
      coalesce(sum(n) filter (where state = 'failed'), 0) as failed_state,
      coalesce(sum(n) filter (where state = 'dead'), 0) as dead_state,
      coalesce(sum(n) filter (where state = 'rejected'), 0) as rejected_state
    from kinds group by 1, 2
  )
  insert into event_values (kind, value, day)
  select v.kind, v.value, v.day from (
    select distinct on (v.kind, v.value, day) v.kind, v.value, (received_at at time zone 'UTC')::date as day
    from kinds cross join lateral (values
      ('account_slug', account_slug),
      ('app_key', app_key),
      (case when rejection_reason is null then 'event_type' else 'rejected_event_type' end, event_type),
      ('provider', provider)
    ) as v (kind, value)
    where v.value is not null order by v.kind, v.value, day
  ) v
  where not exists (select 1 from event_values known where known.kind = v.kind and known.value = v.value and known.day = v.day)
  on conflict do nothing;
  return null;
end $$;
