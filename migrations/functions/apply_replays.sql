-- replays those of the given events that have a noted replay; returns how many were replayed
--
-- Notes are locked before events, and both in the order of their ids, so that concurrent calls never deadlock.
create or replace function apply_replays(p_ids uuid[]) returns integer language plpgsql as $$
declare
  ids uuid[];
begin
  select array_agg(event_id) into ids from (
    select event_id from event_replays where event_id = any(p_ids) order by event_id for update
  ) noted;
  if ids is null then
    return 0;
  end if;
  delete from event_replays where event_id = any(ids);
  return (select count(*) from replay_events(ids, true));
end $$;
