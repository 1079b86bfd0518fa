import { Migration } from '@mikro-orm/migrations';

/**
 * Ends the deliveries of deleted accounts. What one transaction does has a bound, since whoever records an attempt of one
 * of its events waits for it; accounts with more are noted, and a worker goes on.
 */
export class Migration20261121000003_stopped_accounts extends Migration {
  override up(): void {
    this.addSql('create table stopped_accounts (account_id uuid primary key)');
    this.addSql(
      `comment on table stopped_accounts is 'deleted accounts with events whose delivery is still to be ended'`,
    );

    // A pending event is queued, or its workflow waits for a next attempt: both ways have an index.
    this.addSql(`
      create function stop_account_events(p_account_id uuid, p_most integer) returns integer language plpgsql as $$
      declare
        ids uuid[];
      begin
        select array_agg(id) into ids from (
          select e.id from events e
          where e.delivery_status = 'pending' and e.id in (
            select event_id from event_queue where account_id = p_account_id
            union all
            select id from events where account_id = p_account_id and due_at is not null
          )
          order by e.id limit p_most for update of e
        ) waiting;
        if ids is null then
          return 0;
        end if;
        with stopped as (
          update events e set delivery_status = 'failed', last_error = 'account_deleted', next_attempt_at = null
          where e.id = any(ids) and e.id between ids[1] and ids[array_upper(ids, 1)]
          returning e.id, e.generation, e.started_generation
        )
        insert into event_commands (event_id, kind, generation)
        select id, 'account_deleted', generation from stopped where started_generation >= 0;
        return array_length(ids, 1);
      end $$`);
    this.addSql(`comment on function stop_account_events is 'deletion of an account: how many events were stopped'`);

    this.addSql(`
      create function stop_next_account_events(p_most integer) returns boolean language plpgsql as $$
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
      end $$`);
    this.addSql(`comment on function stop_next_account_events is 'worker: whether there was something to stop'`);
  }

  override down(): void {
    this.addSql('drop function stop_next_account_events, stop_account_events');
    this.addSql('drop table stopped_accounts');
  }
}
