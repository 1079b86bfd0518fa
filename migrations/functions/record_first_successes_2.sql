-- relay: records first attempts that succeeded at once, and changes their events; returns those it recorded, with their status
--
-- Most attempts are of this kind, so the statement does only what they need. It leaves out events whose lease was lost
-- and those that anything else has happened to; record_outcomes_3 records them.
--
-- record_first_successes is the same without the parts of attempts, for release 0.2.0.
--
-- p_workflows: whether every event gets a workflow (EVENT_WORKFLOWS=always). If not, the event leaves the queue.
create or replace function record_first_successes_2(p_ids uuid[], p_tokens uuid[], p_started_at timestamptz[], p_durations_ms double precision[],
  p_response_codes integer[], p_response_bodies text[], p_urls text[],
  p_waited_ms double precision[], p_connect_ms double precision[], p_answer_ms double precision[], p_low uuid, p_high uuid, p_workflows boolean)
returns table (id uuid, status text) language plpgsql as $$
begin
  perform lock_events(p_ids, p_low, p_high);
  return query
  with input as (
    -- In the list of columns and not in `from`, where PostgreSQL keeps a store of rows for each array.
    select unnest(p_ids) as event_id, unnest(p_tokens) as claim_token, unnest(p_started_at) as started_at,
      unnest(p_durations_ms) as duration_ms, unnest(p_response_codes) as response_code,
      unnest(p_response_bodies) as response_body, unnest(p_urls) as url, unnest(p_waited_ms) as waited_ms,
      unnest(p_connect_ms) as connect_ms, unnest(p_answer_ms) as answer_ms
  ), changed as (
    update events e set attempts = 1, scheduled_attempts = 1, last_error = null, response_code = i.response_code,
      delivery_status = 'delivered', delivered_at = i.started_at + make_interval(secs => i.duration_ms / 1000),
      next_attempt_at = null, held_since = null,
      -- Every received event is in the queue (src/events/list.ts).
      status = case when p_workflows or e.status <> 'received' then e.status else 'enqueued' end
    from input i
    where e.id = i.event_id and e.id between p_low and p_high
      and e.generation = 0 and e.attempts = 0 and e.delivery_status = 'pending'
      and exists (select 1 from event_queue q where q.event_id = i.event_id and q.generation = 0 and q.claim_token = i.claim_token)
    returning i.*, e.status as new_status
  ), recorded as (
    insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, url,
      waited_ms, connect_ms, answer_ms)
    select event_id, 0, 'schedule', 1, started_at, duration_ms, 'delivered', response_code, response_body, url,
      waited_ms, connect_ms, answer_ms from changed
  ), moved as (
    -- lane 2: settled, needs its workflow (src/events/lanes.ts)
    update event_queue q set lane = 2, lane_since = now(), direct = false, claimed_until = null, claim_token = null
    from changed c where p_workflows and q.event_id = c.event_id and q.claim_token = c.claim_token
  ), removed as (
    delete from event_queue q using changed c where not p_workflows and q.event_id = c.event_id and q.claim_token = c.claim_token
  )
  select event_id, new_status from changed;
end $$;
