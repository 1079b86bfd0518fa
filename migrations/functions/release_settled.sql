-- relay: removes settled events that need no workflow from the queue; returns how many rows of the queue it looked at
--
-- Only with EVENT_WORKFLOWS=on_retry: src/events/transitions/no-workflow.ts. An event with notifications to send stays, since its
-- workflow sends them.
--
-- A pending event goes on to lane 1 (src/events/lanes.ts): a replay may have committed while leave_to_workflows, which read the
-- state from before it, moved the event to lane 2 (src/engine/leave-to-workflows.ts). Nothing else looks for it there.
create or replace function release_settled(p_most integer) returns integer language plpgsql as $$
declare
  ids uuid[];
begin
  -- Events are locked before rows of the queue, as in all functions that change both.
  select array_agg(event_id order by event_id) into ids from (
    select event_id from event_queue q where lane = 2 and (claimed_until is null or claimed_until <= now())
      and not exists (select from notifications n where n.event_id = q.event_id and n.status = 'pending')
    limit p_most
  ) settled;
  if ids is null then
    return 0;
  end if;
  perform lock_events(ids, ids[1], ids[array_upper(ids, 1)]);
  with settled as (
    -- A second look, since the rows may have changed before the lock.
    select q.event_id, (
      select e.delivery_status from events e where e.id = q.event_id and e.id between ids[1] and ids[array_upper(ids, 1)]
    ) is not distinct from 'pending' as pending
    from event_queue q where q.event_id = any(ids) and q.lane = 2 and (q.claimed_until is null or q.claimed_until <= now())
    order by q.event_id for update skip locked
  ), pending as (
    update event_queue q set lane = 1 from settled s where q.event_id = s.event_id and s.pending
  ), released as (
    delete from event_queue q using settled s where q.event_id = s.event_id and not s.pending returning q.event_id
  )
  update events e set status = 'enqueued' from released r
  where e.id = r.event_id and e.id between ids[1] and ids[array_upper(ids, 1)] and e.status = 'received';
  return array_length(ids, 1);
end $$;
