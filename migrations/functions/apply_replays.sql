-- resets those of these events whose replay was noted
--
-- Notes are locked before events, and both in the order of the ids, so that no two calls deadlock. The statements are made from
-- the lowest and the highest id, so that each batch is planned for its days alone (see lock_events).
create or replace function apply_replays(p_ids uuid[]) returns integer language plpgsql
set enable_seqscan = on set plan_cache_mode = auto set jit = off as $$
declare
  ids uuid[];
  replayed integer;
begin
  select array_agg(event_id) into ids from (
    select event_id from event_replays where event_id = any(p_ids) order by event_id for update
  ) noted;
  if ids is null then
    return 0;
  end if;
  delete from event_replays where event_id = any(ids);
  execute format('select lock_events($1, %L, %L)', ids[1], ids[array_upper(ids, 1)]) using ids;
  -- Dead events stay dead, since an operator declared them so. Lane 0: needs its first attempt (src/events/lanes.ts).
  execute format($q$
    with e as (
      update events e set generation = generation + 1, generation_at = now(), status = 'received', delivery_status = 'pending',
        attempts = 0, scheduled_attempts = 0, manual_attempts = 0, last_error = null, response_code = null,
        delivered_at = null, next_attempt_at = null, held_since = null
      where e.id between %L and %L and e.id = any($1) and (e.undelivered or e.state = 'failed') and e.state <> 'dead' and e.rejection_reason is null
        and exists (select 1 from accounts a where a.id = e.account_id and a.deleted_at is null)
      returning e.id, e.account_id, e.generation
    ), queued as (
      insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, 0 from e
      on conflict (event_id) do update set generation = excluded.generation, lane = 0, direct = false, claimed_until = null, claim_token = null
    )
    select count(*) from e$q$, ids[1], ids[array_upper(ids, 1)])
    into replayed using ids;
  if replayed > 0 then
    perform pg_notify('gateway_queue', '');
  end if;
  return replayed;
end $$;
