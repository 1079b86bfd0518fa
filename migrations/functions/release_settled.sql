-- relay: removes settled events that need no workflow from the queue; returns how many rows of the queue it looked at
--
-- Only with EVENT_WORKFLOWS=on_retry: src/events/transitions/no-workflow.ts. An event with notifications to send stays, since its
-- workflow sends them.
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
    select event_id from event_queue where event_id = any(ids) and lane = 2 and (claimed_until is null or claimed_until <= now())
    order by event_id for update skip locked
  ), released as (
    delete from event_queue q using settled s where q.event_id = s.event_id returning q.event_id
  )
  update events e set status = 'enqueued' from released r
  where e.id = r.event_id and e.id between ids[1] and ids[array_upper(ids, 1)] and e.status = 'received';
  return array_length(ids, 1);
end $$;
