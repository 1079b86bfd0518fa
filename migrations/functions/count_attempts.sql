-- trigger: adds attempts to the statistics of the hour in which their event was received
create or replace function count_attempts() returns trigger language plpgsql as $$
begin
  insert into event_stat_deltas (hour, provider, attempts)
  select date_bin('1 hour', uuid_extract_timestamp(event_id), timestamptz '2000-01-01 00:00:00+00') as hour, '' as provider, count(*) as attempts
  from made group by 1, 2;
  return null;
end $$;
