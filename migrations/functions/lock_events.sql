-- locks events in the order of their ids, for a change in the next statement
--
-- A function that changes many events locks their rows first and changes them in a second statement, which sees what was
-- committed until then. In one statement PostgreSQL has to re-check its plan for every row that another transaction changed
-- in between, and with pruned partitions and several CTEs that re-check lost changes without an error (PostgreSQL 18.4;
-- test/events/locked-rows.test.ts). Locking in the order of the keys also keeps batches from deadlocks.
--
-- p_low, p_high: the lowest and the highest of p_ids, which let PostgreSQL leave out the partitions of other days.
create or replace function lock_events(p_ids uuid[], p_low uuid, p_high uuid) returns void language plpgsql as $$
begin
  perform 1 from events e where e.id = any(p_ids) and e.id between p_low and p_high order by e.id for update;
end $$;
