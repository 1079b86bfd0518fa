-- deletion of an account or a consumer: ends the deliveries of at most p_most of its events; returns how many
--
-- The number is limited, because recording an attempt of one of these events waits for the transaction.
--
-- p_account_id: the id of the account, or of a consumer other than default.
create or replace function stop_account_events(p_account_id uuid, p_most integer) returns integer language plpgsql as $$
declare
  of_consumer boolean := exists (select from consumers where id = p_account_id and account_id <> id);
  owners uuid[] := array(select p_account_id union select id from consumers where account_id = p_account_id);
  ids uuid[];
begin
  -- A pending event is in the queue (lanes 0 and 1: src/events/lanes.ts), or it has a time of its next attempt. Both conditions have an index.
  select array_agg(id order by id) into ids from (
    select e.id from (
      select event_id as id from event_queue where account_id = any(owners) and lane < 2
      union
      select due.id from unnest(owners) as o (id) cross join lateral (
        select id from events where coalesce(consumer_id, account_id) = o.id and due_at is not null order by id limit p_most
      ) due
      order by id
    ) waiting cross join lateral (
      -- Looks for each of them. A join sometimes walks all events that are stored.
      select id from events where id = waiting.id and delivery_status = 'pending' limit 1 for update
    ) e limit p_most
  ) locked;
  if ids is null then
    return 0;
  end if;
  with stopped as (
    update events e set delivery_status = 'failed', next_attempt_at = null,
      last_error = case when of_consumer then 'consumer_deleted' else 'account_deleted' end
    where e.id = any(ids) and e.id between ids[1] and ids[array_upper(ids, 1)]
    returning e.id, e.generation, e.started_generation
  )
  -- started_generation is -1 if no workflow was started: then there is none to signal.
  insert into event_commands (event_id, kind, generation)
  select id, 'account_deleted', generation from stopped where started_generation >= 0;
  return array_length(ids, 1);
end $$;
