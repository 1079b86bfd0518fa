-- replays those of the given events that have a noted replay; returns how many were replayed
--
-- Notes are locked before events, and both in the order of their ids, so that concurrent calls never deadlock.
create or replace function apply_replays(p_ids uuid[]) returns integer language plpgsql as $$
declare
  ids uuid[];
  actors text[];
  replayed uuid[];
begin
  select array_agg(event_id), array_agg(actor) into ids, actors from (
    select event_id, actor from event_replays where event_id = any(p_ids) order by event_id for update
  ) noted;
  if ids is null then
    return 0;
  end if;
  delete from event_replays where event_id = any(ids);
  replayed := array(select replay_events(ids, true));
  -- A statement of its own, which sees the new generations. The release before has noted no actor.
  insert into event_actions (event_id, generation, at, actor, action)
  select e.id, e.generation, clock_timestamp(), n.actor, 'replay'
  from unnest(ids, actors) as n (id, actor) join events e on e.id = n.id and e.id between ids[1] and ids[array_upper(ids, 1)]
  where n.actor is not null and n.id = any(replayed);
  return cardinality(replayed);
end $$;
