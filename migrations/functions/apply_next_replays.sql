-- worker: applies at most p_most noted replays; returns how many notes it took
create or replace function apply_next_replays(p_most integer) returns integer language plpgsql as $$
declare
  ids uuid[];
begin
  select array_agg(event_id) into ids from (
    select event_id from event_replays order by event_id limit p_most for update skip locked
  ) noted;
  if ids is null then
    return 0;
  end if;
  perform apply_replays(ids);
  return array_length(ids, 1);
end $$;
