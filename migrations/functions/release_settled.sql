-- relay: removes settled events that need no workflow from the queue; returns how many rows of the queue it looked at
--
-- Only with EVENT_WORKFLOWS=on_retry: src/events/transitions/no-workflow.ts. An event with unsent notifications goes to
-- lane 1 instead, because its workflow sends them.
create or replace function release_settled(p_most integer) returns integer language plpgsql as $$
declare
  ids uuid[];
begin
  -- Events are locked before rows of the queue, as in all functions that change both.
  select array_agg(event_id order by event_id) into ids from (
    select event_id from event_queue where lane = 2 and (claimed_until is null or claimed_until <= now()) limit p_most
  ) settled;
  if ids is null then
    return 0;
  end if;
  perform lock_events(ids, ids[1], ids[array_upper(ids, 1)]);
  with settled as (
    -- A second look, since the rows may have changed before the lock.
    select q.event_id, exists (select 1 from notifications n where n.event_id = q.event_id and n.status = 'pending') as notifies
    from event_queue q
    where q.event_id = any(ids) and q.lane = 2 and (q.claimed_until is null or q.claimed_until <= now())
    order by q.event_id for update of q skip locked
  ), hurried as (
    update event_queue q set lane = 1 from settled s where q.event_id = s.event_id and s.notifies
  ), released as (
    delete from event_queue q using settled s where q.event_id = s.event_id and not s.notifies
    returning q.event_id
  )
  update events e set status = 'enqueued' from released r
  where e.id = r.event_id and e.id between ids[1] and ids[array_upper(ids, 1)] and e.status = 'received';
  return array_length(ids, 1);
end $$;
