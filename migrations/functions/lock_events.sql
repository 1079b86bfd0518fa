-- locks events in the order of their ids, before the next statement changes them
--
-- A function that changes many events first locks their rows and then changes them in a second statement, which sees
-- all changes committed until then. A single statement would have to re-check its plan for every row that another
-- transaction has changed. With pruned partitions and several CTEs, this re-check lost changes without an error
-- (PostgreSQL 18.4; test/events/locked-rows.test.ts). Locking in the order of the ids also prevents deadlocks between
-- batches.
--
-- p_low, p_high: the lowest and the highest of p_ids, so that PostgreSQL can prune the partitions of other days.
create or replace function lock_events(p_ids uuid[], p_low uuid, p_high uuid) returns void language plpgsql as $$
begin
  perform 1 from events e where e.id = any(p_ids) and e.id between p_low and p_high order by e.id for update;
end $$;
