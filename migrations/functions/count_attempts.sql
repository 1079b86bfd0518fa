-- trigger: adds attempts to the statistics of the hour in which their event was received
create or replace function count_attempts() returns trigger language plpgsql as $$
begin
  insert into event_stat_deltas (hour, provider, attempts, failed_attempts)
  select start_of_hour(uuid_extract_timestamp(event_id)), '', count(*), count(*) filter (where outcome <> 'delivered') from made group by 1, 2;
  return null;
end $$;
