-- operators: replays all failed events; returns how many (src/events/transitions/replayed.ts)
--
-- Notes all failed events in event_replays. Up to 2,000 of them are replayed within the call. If there are more,
-- workers replay them with apply_next_replays.
create or replace function replay_failed_events_2(p_app_key text, p_provider text, p_since timestamptz default null, p_until timestamptz default null,
  p_account_slug text default null, p_consumer text default null, p_accounts uuid[] default null, p_actor text default null) returns integer language plpgsql
set enable_seqscan = on set plan_cache_mode = auto set jit = off set work_mem = '32MB' as $$
declare
  wanted text := '';
  gone uuid[] := array(select id from consumers where deleted_at is not null);
  ids uuid[];
begin
  if p_app_key is not null then
    wanted := wanted || format(' and e.app_key = %L', p_app_key);
  end if;
  if p_provider is not null then
    wanted := wanted || format(' and e.provider = %L', p_provider);
  end if;
  if p_account_slug is not null then
    wanted := wanted || format(' and e.account_slug = %L', p_account_slug);
  end if;
  if p_accounts is not null then
    wanted := wanted || format(' and e.account_id = any(%L::uuid[])', p_accounts);
  end if;
  -- By the milliseconds of the ids, which both indexes contain.
  if p_since is not null then
    wanted := wanted || format(' and e.id >= %L', lpad(to_hex(greatest(0, floor(extract(epoch from p_since) * 1000)::bigint + 1)), 12, '0') || repeat('0', 20));
  end if;
  if p_until is not null then
    wanted := wanted || format(' and e.id < %L', lpad(to_hex(greatest(0, ceil(extract(epoch from p_until) * 1000)::bigint)), 12, '0') || repeat('0', 20));
  end if;
  if p_consumer = 'default' then
    wanted := wanted || ' and e.consumer_id is null';
  elsif p_consumer is not null then
    wanted := wanted || format(' and e.consumer_id = any(%L::uuid[])', array(select id from consumers where name = p_consumer));
  end if;
  -- No condition without deleted consumers: the indexes do not contain the consumer.
  if cardinality(gone) > 0 then
    wanted := wanted || format(' and (e.consumer_id is null or e.consumer_id <> all(%L::uuid[]))', gone);
  end if;
  -- Each branch uses one index: events_undelivered and events_failed_otherwise.
  execute $q$
    with found as (
      select e.id, e.account_id from events e where e.undelivered and e.state not in ('dead', 'processed')$q$ || wanted || $q$
      union all
      select e.id, e.account_id from events e where e.state = 'failed' and e.undelivered is null and e.rejection_reason is null$q$ || wanted || $q$
    ), noted as (
      insert into event_replays (event_id, actor)
      select f.id, $1 from found f join accounts a on a.id = f.account_id where a.deleted_at is null order by f.id
      on conflict do nothing returning event_id
    )
    select array_agg(event_id) from noted$q$ into ids using p_actor;
  if array_length(ids, 1) <= 2000 then
    -- The result can be lower than the number of notes, if another transaction has changed some of the events.
    return apply_replays(ids);
  end if;
  return coalesce(array_length(ids, 1), 0);
end $$;
