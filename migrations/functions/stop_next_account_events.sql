-- worker: ends the deliveries of at most p_most events of a deleted account or consumer; returns whether one was waiting
create or replace function stop_next_account_events(p_most integer) returns boolean language plpgsql as $$
declare
  account uuid;
begin
  select account_id into account from stopped_accounts order by account_id limit 1 for update skip locked;
  if account is null then
    return false;
  end if;
  if stop_account_events(account, p_most) < p_most then
    delete from stopped_accounts where account_id = account;
  end if;
  return true;
end $$;
