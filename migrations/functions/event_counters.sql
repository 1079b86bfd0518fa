-- what `n` events of one kind add to the counters of the statistics; inlined into the statements that call it
--
-- is_sibling: they are not the first event of their webhook. is_skipped: no consumer gets their webhook; then they count only as
-- stored.
create or replace function event_counters(n integer, delivery_status text, state text, retries integer, rejection_reason text, is_sibling boolean, is_skipped boolean)
returns table (
  stored integer, pending integer, delivered integer, failed integer, retrying integer, rejected integer,
  open_state integer, processed_state integer, failed_state integer, dead_state integer, rejected_state integer,
  siblings integer, skipped integer
) language sql immutable as $$
  select n,
    case when delivery_status = 'pending' then n else 0 end,
    case when delivery_status = 'delivered' then n else 0 end,
    case when delivery_status = 'failed' then n else 0 end,
    case when retries is not null then n else 0 end,
    case when rejection_reason is not null then n else 0 end,
    case when state = 'open' and not is_skipped then n else 0 end,
    case when state = 'processed' then n else 0 end,
    case when state = 'failed' then n else 0 end,
    case when state = 'dead' then n else 0 end,
    case when state = 'rejected' then n else 0 end,
    case when is_sibling then n else 0 end,
    case when is_skipped then n else 0 end
$$;
