-- the beginning of the hour that a time is in; inlined into the statements that call it
create or replace function start_of_hour(at timestamptz) returns timestamptz language sql immutable as $$
  select date_bin('1 hour', at, timestamptz '2000-01-01 00:00:00+00')
$$;
