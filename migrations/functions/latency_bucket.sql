-- the bucket of a delivery's latency in the histogram; inlined into the statements that call it
--
-- There are twenty buckets per power of ten, each 12 % wide. Bucket 0 ends at 0.1 ms (src/events/latency.ts).
create or replace function latency_bucket(latency interval) returns integer language sql immutable as $$
  select ceil(20 * log(greatest(extract(epoch from latency)::double precision * 10000, 1)))::integer
$$;
