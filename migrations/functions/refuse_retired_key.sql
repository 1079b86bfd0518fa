-- trigger: refuses values that were sealed with a retired key, in the columns that are its arguments
--
-- A process that was not restarted after `npm run reseal` would continue to seal with the old key. Those values would
-- be lost together with that key. Bytes 2 to 5 of a box are the id of its key (src/secrets/secret-box.ts).
create or replace function refuse_retired_key() returns trigger language plpgsql as $$
declare
  field text;
  stored bytea;
  given bytea;
begin
  -- lockKeys.retiredKeys (src/database/lock-keys.ts). The lock is held until the transaction ends, so that a key cannot
  -- be retired while a transaction that has passed this check is open.
  perform pg_advisory_xact_lock_shared(7233808006);
  foreach field in array tg_argv loop
    execute format('select ($1).%I', field) using new into given;
    stored := null;
    if tg_op = 'UPDATE' then execute format('select ($1).%I', field) using old into stored; end if;
    if given is distinct from stored and is_retired_key(substring(given from 2 for 4)) then
      raise exception 'the SECRETS_KEY of this process was replaced: % was sealed with a retired key', field
        using errcode = 'object_not_in_prerequisite_state', hint = 'Restart the process with the new SECRETS_KEY.';
    end if;
  end loop;
  return new;
end $$;
