-- releases claims of queued events and sets the lane of each by the state of its event: src/processes/claim-returns.ts
--
-- Locks the events first. Otherwise an operator could end a delivery after its state was read here and before its claim was
-- released: the operator's statement would leave the event to the process with the claim, and this one would queue it as pending.
create or replace function hand_back_claims(p_ids uuid[], p_generations integer[], p_tokens uuid[], p_delay_s double precision,
  p_low uuid, p_high uuid)
returns void language plpgsql as $$
begin
  perform lock_events(p_ids, p_low, p_high);
  -- Lane 0: needs its first attempt; 1: needs its workflow soon; 2: settled, needs its workflow (src/events/lanes.ts).
  with states as materialized (
    select i.*, e.scheduled_attempts, e.next_attempt_at, e.delivery_status is not distinct from 'pending' as pending,
      -- Its workflow makes a retry, or sends the notifications of an exhausted event. Commands have no index by event: they are read once.
      e.delivery_status is distinct from 'pending' and (
        e.id in (select c.event_id from event_commands c where c.kind = 'retry') or e.delivery_status = 'failed' and (
          select n.event_id from notifications n
          where n.event_id = e.id and n.event_id between p_low and p_high and n.generation = e.generation and n.status = 'pending' limit 1
        ) is not null
      ) as awaited
    from unnest(p_ids, p_generations, p_tokens) as i (event_id, generation, claim_token)
    join events e on e.id = i.event_id and e.id between p_low and p_high
  )
  update event_queue q set claimed_until = now() + make_interval(secs => p_delay_s), claim_token = null,
    direct = q.direct and s.pending and s.next_attempt_at is null,
    -- While Temporal is down, each start is tried again and again. The wait for the workflow counts from the first try.
    lane_since = case when not q.direct and (q.lane = 2 or q.lane = 1 and (s.pending or s.awaited)) then q.lane_since else now() end,
    lane = case when not (s.pending or q.lane = 1 and s.awaited) then 2
                when q.lane = 1 or s.scheduled_attempts > 0 or s.next_attempt_at is not null then 1
                else 0 end
  from states s
  where q.event_id = s.event_id and q.generation = s.generation and q.claim_token = s.claim_token;
end $$;
