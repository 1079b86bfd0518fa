-- returns whether `npm run reseal` has retired the key with this id
create or replace function is_retired_key(key_id bytea) returns boolean language sql as $$
  select exists (select from secrets_keys where retired_at is not null and id = encode(key_id, 'hex'))
$$;
