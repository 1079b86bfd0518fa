import { Migration } from '@mikro-orm/migrations';

/**
 * The replay of everything that has failed: day by day, each day's events locked first and changed in a second statement
 * (see Migration20261120000001_locked_changes). Days and ids both ascend, so that locks are taken in the order of the keys.
 * Each day is planned on its own: measured with 100,000 events, one plan for all days takes twice as long.
 */
export class Migration20261121000000_replay_failed extends Migration {
  override up(): void {
    this.addSql(`
      create function replay_failed_events(p_app_key text, p_provider text) returns integer language plpgsql
      -- Every row before and after its change is held for the statistics; the caller's settings are made for single events.
      set work_mem = '64MB' set enable_seqscan = on set plan_cache_mode = auto set jit = off as $$
      declare
        part text;
        picked uuid[];
        changed integer;
        replayed integer := 0;
        -- Dead events are left dead: that was an operator's word.
        failed constant text := $c$(e.undelivered or e.state = 'failed') and e.state <> 'dead' and e.rejection_reason is null$c$;
      begin
        for part in
          select format('%I.%I', n.nspname, c.relname) from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
          where i.inhparent = 'events'::regclass order by c.relname
        loop
          execute 'select array_agg(id) from (select e.id from ' || part || ' e where ' || failed
            || case when p_app_key is null then '' else format(' and e.app_key = %L', p_app_key) end
            || case when p_provider is null then '' else format(' and e.provider = %L', p_provider) end
            || ' and exists (select 1 from accounts a where a.id = e.account_id and a.deleted_at is null) order by e.id for update of e) l'
            into picked;
          continue when picked is null;
          -- Whoever holds the lock of an event is the only one to queue it: no conflict to look for, row by row.
          delete from event_queue where event_id = any(picked);
          execute format($q$
            with e as (
              update events e set generation = generation + 1, generation_at = now(), status = 'received', delivery_status = 'pending',
                attempts = 0, scheduled_attempts = 0, manual_attempts = 0, last_error = null, response_code = null,
                delivered_at = null, next_attempt_at = null, held_since = null
              where e.id between %L and %L and e.id = any($1) and $q$ || failed || $q$
              returning e.id, e.account_id, e.generation
            ), queued as (
              insert into event_queue (event_id, account_id, generation, lane) select id, account_id, generation, 0 from e
            )
            select count(*) from e$q$, picked[1], picked[array_upper(picked, 1)])
            into changed using picked;
          replayed := replayed + changed;
        end loop;
        return replayed;
      end $$`);
    this.addSql(`comment on function replay_failed_events is 'operators: src/events/operate.ts'`);
  }

  override down(): void {
    this.addSql('drop function replay_failed_events');
  }
}
