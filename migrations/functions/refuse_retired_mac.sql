-- trigger: refuses MACs of the audit log that were made with a retired key
--
-- A separate function, because it runs for every call of the admin API and is faster than the dynamic SQL of
-- refuse_retired_key. Bytes 1 to 4 of a MAC are the id of its key (src/audit/seals.ts).
create or replace function refuse_retired_mac() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7233808006); -- lockKeys.retiredKeys (src/database/lock-keys.ts)
  if is_retired_key(substring(new.mac from 1 for 4)) then
    raise exception 'the SECRETS_KEY of this process was replaced: % was sealed with a retired key', 'mac'
      using errcode = 'object_not_in_prerequisite_state', hint = 'Restart the process with the new SECRETS_KEY.';
  end if;
  return new;
end $$;
