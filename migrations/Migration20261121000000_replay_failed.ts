import { Migration } from '@mikro-orm/migrations';

/** So many events are replayed within the call: a moment's work. Of more the call takes note, and a worker replays them. */
const atOnce = 2_000;

// Dead events are left dead: that was an operator's word.
const failed = `(e.undelivered or e.state = 'failed') and e.state <> 'dead' and e.rejection_reason is null
  and exists (select 1 from accounts a where a.id = e.account_id and a.deleted_at is null)`;

/**
 * The replay of everything that has failed. To reset an event costs an entry in each of its indexes, so a hundred thousand
 * of them take seconds; to note their ids takes a fraction of one. So the call notes them in event_replays, and a worker
 * resets them, a batch a transaction. Whoever changes an event first carries out a replay that waits for it, so that everything
 * happens in the order in which it was asked for.
 */
export class Migration20261121000000_replay_failed extends Migration {
  override up(): void {
    this.addSql('create table event_replays (event_id uuid primary key)');
    this.addSql(
      `comment on table event_replays is 'failed events that are to be replayed: taken by an operator, not reset yet'`,
    );

    // The order of locks is that of the keys, and notes go before events. The events are locked in a statement of their own:
    // see Migration20261120000001_locked_changes. Each batch is planned for its days.
    this.addSql(`
      create function apply_replays(p_ids uuid[]) returns integer language plpgsql
      set enable_seqscan = on set plan_cache_mode = auto set jit = off as $$
      declare
        ids uuid[];
        replayed integer;
      begin
        select array_agg(event_id) into ids from (
          select event_id from event_replays where event_id = any(p_ids) order by event_id for update
        ) noted;
        if ids is null then
          return 0;
        end if;
        delete from event_replays where event_id = any(ids);
        execute format('select lock_events($1, %L, %L)', ids[1], ids[array_upper(ids, 1)]) using ids;
        execute format($q$
          with e as (
            update events e set generation = generation + 1, generation_at = now(), status = 'received', delivery_status = 'pending',
              attempts = 0, scheduled_attempts = 0, manual_attempts = 0, last_error = null, response_code = null,
              delivered_at = null, next_attempt_at = null, held_since = null
            where e.id between %L and %L and e.id = any($1) and ${failed}
            returning e.id, e.account_id, e.generation
          ), queued as (
            insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, 0 from e
            on conflict (event_id) do update set generation = excluded.generation, lane = 0, direct = false, claimed_until = null, claim_token = null
          )
          select count(*) from e$q$, ids[1], ids[array_upper(ids, 1)])
          into replayed using ids;
        if replayed > 0 then
          perform pg_notify('gateway_queue', '');
        end if;
        return replayed;
      end $$`);
    this.addSql(`comment on function apply_replays is 'resets those of these events whose replay was noted'`);

    this.addSql(`
      create function apply_next_replays(p_most integer) returns integer language plpgsql as $$
      declare
        ids uuid[];
      begin
        select array_agg(event_id) into ids from (
          select event_id from event_replays order by event_id limit p_most for update skip locked
        ) noted;
        if ids is null then
          return 0;
        end if;
        perform apply_replays(ids);
        return array_length(ids, 1);
      end $$`);
    this.addSql(`comment on function apply_next_replays is 'worker: how many notes were taken'`);

    this.addSql(`
      create function replay_failed_events(p_app_key text, p_provider text) returns integer language plpgsql
      set enable_seqscan = on set plan_cache_mode = auto set jit = off set work_mem = '32MB' as $$
      declare
        wanted text := '';
        ids uuid[];
      begin
        if p_app_key is not null then
          wanted := wanted || format(' and e.app_key = %L', p_app_key);
        end if;
        if p_provider is not null then
          wanted := wanted || format(' and e.provider = %L', p_provider);
        end if;
        execute $q$
          with found as (
            select e.id, e.account_id from events e where e.undelivered and e.state <> 'dead'$q$ || wanted || $q$
            union all
            select e.id, e.account_id from events e where e.state = 'failed' and e.undelivered is null and e.rejection_reason is null$q$ || wanted || $q$
          ), noted as (
            insert into event_replays (event_id)
            select f.id from found f join accounts a on a.id = f.account_id where a.deleted_at is null order by f.id
            on conflict do nothing returning event_id
          )
          select array_agg(event_id) from noted$q$ into ids;
        if array_length(ids, 1) <= ${atOnce} then
          -- Fewer than were noted where somebody else has changed some meanwhile.
          return apply_replays(ids);
        end if;
        return coalesce(array_length(ids, 1), 0);
      end $$`);
    this.addSql(`comment on function replay_failed_events is 'operators: src/events/operate.ts'`);
  }

  override down(): void {
    this.addSql('drop function replay_failed_events, apply_next_replays, apply_replays');
    this.addSql('drop table event_replays');
  }
}
