-- relay: records that workflows were started and deletes their events from the queue; skips events whose lease was lost
--
-- Called by src/events/transitions/started.ts.
create or replace function mark_started(p_ids uuid[], p_generations integer[], p_tokens uuid[], p_run_ids text[], p_low uuid, p_high uuid)
returns void language plpgsql as $$
begin
  perform lock_events(p_ids, p_low, p_high);
  with input as (
    select * from unnest(p_ids, p_generations, p_tokens, p_run_ids) as t (event_id, generation, claim_token, run_id)
  ), done as (
    delete from event_queue q using input i
    where q.event_id = i.event_id and q.generation = i.generation and q.claim_token = i.claim_token
    returning q.event_id
  )
  update events e set started_generation = i.generation, run_id = coalesce(i.run_id, e.run_id),
    status = case when e.status = 'received' then 'enqueued' else e.status end,
    -- Makes the event due, so that the sweep finds it if its workflow does not act.
    next_attempt_at = case when e.delivery_status = 'pending' then coalesce(e.next_attempt_at, now()) else e.next_attempt_at end
  from input i join done d on d.event_id = i.event_id
  where e.id = i.event_id and e.id between p_low and p_high and e.generation = i.generation;
end $$;
