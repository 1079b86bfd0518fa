-- the release before calls it: replays all failed events; returns how many (migrations/functions/replay_failed_events_2.sql)
create or replace function replay_failed_events(p_app_key text, p_provider text, p_since timestamptz default null, p_until timestamptz default null,
  p_account_slug text default null, p_consumer text default null) returns integer language plpgsql as $$
begin
  return replay_failed_events_2(p_app_key, p_provider, p_since, p_until, p_account_slug, p_consumer);
end $$;
