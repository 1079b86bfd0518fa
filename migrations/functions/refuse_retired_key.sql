-- trigger: refuses values that were sealed with a retired key, in the columns that its arguments name
--
-- A process that was not restarted after `npm run reseal` would go on to seal with the old key, and what it sealed would be lost
-- with that key. A box (src/secrets/secret-box.ts) names its key in its bytes 2 to 5.
create or replace function refuse_retired_key() returns trigger language plpgsql as $$
declare
  field text;
  stored bytea;
  given bytea;
begin
  -- lockKeys.retiredKeys (src/database/lock-keys.ts). It is held until the transaction ends, so that a key retires only when no
  -- transaction is open that passed the check.
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
