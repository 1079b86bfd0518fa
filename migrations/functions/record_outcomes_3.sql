-- records attempts and changes their events accordingly: src/events/transitions/attempt-recorded.ts
--
-- An attempt whose event no longer exists is not recorded: the partition of its day was dropped, and the error would
-- fail all attempts of the statement.
--
-- p_request_headers, p_response_headers: JSON, in the order sent; null where they are not stored.
--
-- p_workflows: whether every event gets a workflow (EVENT_WORKFLOWS=always). If not, an event whose delivery ends with
-- an attempt of the relay leaves the queue.
create or replace function record_outcomes_3(p_ids uuid[], p_generations integer[], p_triggers text[], p_numbers integer[],
  p_started_at timestamptz[], p_durations_ms double precision[], p_outcomes text[], p_response_codes integer[],
  p_response_bodies text[], p_errors text[], p_urls text[], p_succeeded boolean[], p_last boolean[],
  p_next_attempts_at timestamptz[], p_tokens uuid[],
  p_waited_ms double precision[], p_connect_ms double precision[], p_answer_ms double precision[],
  p_request_headers text[], p_response_headers text[], p_low uuid, p_high uuid, p_workflows boolean)
returns table (id uuid, generation integer, recorded boolean, exhausted boolean, status text, delivery_status text, account_deleted boolean)
language plpgsql as $$
#variable_conflict use_column
begin
  perform lock_events(p_ids, p_low, p_high);
  return query
  with input as (
    -- In the list of columns and not in `from`, where PostgreSQL keeps a store of rows for each array.
    select unnest(p_ids) as event_id, unnest(p_generations) as generation, unnest(p_triggers) as trigger, unnest(p_numbers) as number,
      unnest(p_started_at) as started_at, unnest(p_durations_ms) as duration_ms, unnest(p_outcomes) as outcome,
      unnest(p_response_codes) as response_code, unnest(p_response_bodies) as response_body, unnest(p_errors) as error,
      unnest(p_urls) as url, unnest(p_succeeded) as succeeded, unnest(p_last) as last,
      unnest(p_next_attempts_at) as next_attempt_at, unnest(p_tokens) as claim_token, unnest(p_waited_ms) as waited_ms,
      unnest(p_connect_ms) as connect_ms, unnest(p_answer_ms) as answer_ms,
      unnest(p_request_headers) as request_headers, unnest(p_response_headers) as response_headers
  ), before as (
    select e.id, e.account_id, e.consumer_id, e.generation, e.status, e.delivery_status from events e
    where e.id = any(p_ids) and e.id between p_low and p_high
  ), held as (
    -- Attempts of workflows have no lease. An attempt of the relay is recorded if its lease is still held, or if a
    -- replay has started a newer generation, which may have left the queue already.
    select i.* from input i join before b on b.id = i.event_id
    where i.claim_token is null or b.generation > i.generation
      or i.claim_token = (select q.claim_token from event_queue q where q.event_id = i.event_id)
  ), recorded as (
    insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, error, url,
      waited_ms, connect_ms, answer_ms, request_headers, response_headers)
    select event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, error, url,
      waited_ms, connect_ms, answer_ms, request_headers::json, response_headers::json from held
    order by event_id on conflict do nothing
    returning event_id
  ), change as (
    select i.*,
      case
        when i.succeeded and i.trigger = 'schedule' then b.delivery_status = 'pending'
        when i.succeeded then b.status <> 'dead' and b.delivery_status in ('pending', 'failed')
        else false
      end as delivered,
      not i.succeeded and i.last and b.delivery_status = 'pending' as exhausted,
      i.trigger = 'schedule' and b.delivery_status = 'pending' as advances
    from input i join recorded r using (event_id) join before b on b.id = i.event_id and b.generation = i.generation
  ), changed as (
    update events e set
      attempts = e.attempts + 1,
      scheduled_attempts = case when c.trigger = 'schedule' then greatest(e.scheduled_attempts, c.number) else e.scheduled_attempts end,
      -- If an operator ended the delivery during the attempt, the operator's reason is kept.
      last_error = case
        when c.delivered then null
        when c.succeeded or e.delivery_status = 'delivered' or e.status = 'dead' or (c.trigger = 'schedule' and not c.advances) then e.last_error
        else c.error
      end,
      response_code = case when not c.succeeded and e.delivery_status = 'delivered' then e.response_code else c.response_code end,
      delivery_status = case when c.delivered then 'delivered' when c.exhausted then 'failed' else e.delivery_status end,
      status = case
        when c.exhausted and e.status not in ('processed', 'dead') then 'failed'
        -- A manual attempt has delivered an exhausted event. What a person has set stays.
        when c.delivered and e.delivery_status = 'failed' and e.status = 'failed' and e.failed_by_person is not true then 'enqueued'
        -- Every received event is in the queue (src/events/list.ts).
        when e.status = 'received' and not p_workflows and c.claim_token is not null and (c.delivered or e.delivery_status <> 'pending') then 'enqueued'
        else e.status
      end,
      delivered_at = case when c.delivered then c.started_at + make_interval(secs => c.duration_ms / 1000) else e.delivered_at end,
      next_attempt_at = case when c.delivered or c.exhausted then null when c.advances then c.next_attempt_at else e.next_attempt_at end,
      held_since = case when c.trigger = 'schedule' then null else e.held_since end
    from change c where e.id = c.event_id and e.id between p_low and p_high
    returning e.id, e.status, e.delivery_status, c.exhausted
  ), queued as (
    -- lane 1: needs its workflow soon; lane 2: settled, needs its workflow (src/events/lanes.ts). The workflow of an exhausted
    -- event sends its notifications.
    update event_queue q set lane = case when c.delivery_status = 'pending' or c.exhausted then 1 else 2 end, lane_since = now(), direct = false,
      claimed_until = null, claim_token = null
    from changed c join input i on i.event_id = c.id
    where q.event_id = c.id and q.generation = i.generation and q.claim_token = i.claim_token
      and (p_workflows or c.delivery_status = 'pending' or c.exhausted)
  ), done as (
    delete from event_queue q using changed c join input i on i.event_id = c.id
    where q.event_id = c.id and q.generation = i.generation and q.claim_token = i.claim_token
      and not (p_workflows or c.delivery_status = 'pending' or c.exhausted)
  )
  select b.id, b.generation, r.event_id is not null, coalesce(c.exhausted, false),
    coalesce(c.status, b.status), case when c.id is null then b.delivery_status else c.delivery_status end,
    case when b.delivery_status = 'failed' then (select a.deleted_at is not null from accounts a where a.id = b.account_id)
      or coalesce((select k.deleted_at is not null from consumers k where k.id = b.consumer_id), false) else false end
  from before b left join recorded r on r.event_id = b.id left join changed c on c.id = b.id;
end $$;
