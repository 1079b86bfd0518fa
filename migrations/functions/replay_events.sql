-- replays events: ten new attempts under a new generation; returns the ids of those that were replayed
--
-- Only this function defines what a replay resets (src/events/transitions/replayed.ts). It skips rejected events,
-- webhooks that no consumer gets, and events of deleted accounts and consumers. With p_only_failed, it also skips events that have not failed, and events that an
-- operator has acknowledged or declared dead.
--
-- The lowest and the highest id are literals in the statements, so that each batch is planned only for its days
-- (lock_events). p_ids must be sorted.
create or replace function replay_events(p_ids uuid[], p_only_failed boolean) returns setof uuid language plpgsql
set enable_seqscan = on set plan_cache_mode = auto set jit = off as $$
declare
  low uuid := p_ids[1];
  high uuid := p_ids[array_upper(p_ids, 1)];
  replayed uuid[];
begin
  execute format('select lock_events($1, %L, %L)', low, high) using p_ids;
  -- Lane 0: needs its first attempt (src/events/lanes.ts).
  execute format($q$
    with e as (
      update events e set generation = generation + 1, generation_at = now(), status = 'received', delivery_status = 'pending',
        attempts = 0, scheduled_attempts = 0, manual_attempts = 0, last_error = null, response_code = null,
        delivered_at = null, next_attempt_at = null, held_since = null, failed_by_person = null
      where e.id between %L and %L and e.id = any($1) and e.rejection_reason is null and e.skipped_reason is null
        and (not $2 or ((e.undelivered or e.state = 'failed') and e.state not in ('dead', 'processed')))
        and exists (select 1 from accounts a where a.id = e.account_id and a.deleted_at is null)
        and not exists (select 1 from consumers c where c.id = e.consumer_id and c.deleted_at is not null)
      returning e.id, coalesce(e.consumer_id, e.account_id) as account_id, e.generation
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, 0 from e
      on conflict (event_id) do update set generation = excluded.generation, lane = 0, direct = false, lane_since = now(), claimed_until = null, claim_token = null
    )
    select array_agg(id) from e$q$, low, high)
    into replayed using p_ids, p_only_failed;
  if replayed is not null then
    perform pg_notify('gateway_queue', '');
  end if;
  return query select unnest(replayed);
end $$;
