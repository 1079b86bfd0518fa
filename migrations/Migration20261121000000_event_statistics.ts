import { Migration } from '@mikro-orm/migrations';

/** The counters, with the condition under which an event counts. */
const counters = Object.entries({
  stored: 'true',
  pending: `delivery_status = 'pending'`,
  delivered: `delivery_status = 'delivered'`,
  failed: `delivery_status = 'failed'`,
  retrying: 'retries is not null',
  rejected: 'rejection_reason is not null',
  open_state: `state = 'open'`,
  processed_state: `state = 'processed'`,
  failed_state: `state = 'failed'`,
  dead_state: `state = 'dead'`,
  rejected_state: `state = 'rejected'`,
});
const names = counters.map(([name]) => name).join(', ');
const counted = (sum: string) =>
  counters.map(([name, condition]) => `coalesce(${sum} filter (where ${condition}), 0) as ${name}`).join(', ');

const hourOf = (at: string) => `date_bin('1 hour', ${at}, timestamptz '2000-01-01 00:00:00+00')`;
/** Twenty buckets a decade, each 12 % wide; bucket 0 ends at a tenth of a millisecond. */
const latencyBucket =
  'ceil(20 * log(greatest(extract(epoch from delivered_at - generation_at)::double precision * 10000, 1)))::integer';

const countsOf = (rows: string, sum: string) =>
  `select ${hourOf('received_at')} as hour, provider, ${counted(sum)} from ${rows} group by 1, 2`;
const latenciesOf = (rows: string, sum: string) =>
  `select ${hourOf('delivered_at')} as hour, ${latencyBucket} as bucket, ${sum} as n
   from ${rows} where delivered_at is not null group by 1, 2`;
const attemptsOf = (rows: string) =>
  `select ${hourOf('uuid_extract_timestamp(event_id)')} as hour, '' as provider, count(*) as attempts from ${rows} group by 1, 2`;
// What comes without the secret shall not fill the choice of filters: anybody could. It counts for the days alone.
// Sorted by key, so that no two batches wait for each other; days that are known already cost a look each.
const valuesOf = (rows: string) =>
  `insert into event_values (kind, value, day)
   select v.kind, v.value, v.day from (
     select distinct on (v.kind, v.value, day) v.kind, v.value, (received_at at time zone 'UTC')::date as day
     from ${rows} cross join lateral (values ('account_slug', account_slug), ('app_key', app_key), (case when rejection_reason is null then 'event_type' else 'rejected_event_type' end, event_type), ('provider', provider)) as v (kind, value)
     where v.value is not null order by v.kind, v.value, day
   ) v
   where not exists (select 1 from event_values known where known.kind = v.kind and known.value = v.value and known.day = v.day)
   on conflict do nothing`;

/**
 * What the operators' statistics and filters are made of, kept as events are stored and change.
 *
 * Each statement on events adds a few rows of differences in its own transaction. It updates nothing, so nobody waits for
 * anybody, and the sum of all rows is right at every moment. The worker folds the differences into a row an hour of
 * receipt and provider, so that the counts of a day go with the day.
 */
export class Migration20261121000000_event_statistics extends Migration {
  override up(): void {
    // Sums of integers are several times as fast as those of bigint, and no hour of a provider has two billion events.
    const counts = `${counters.map(([name]) => `${name} integer not null default 0`).join(', ')}, attempts integer not null default 0`;
    const churning = 'with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000)';
    this.addSql(
      `create table event_stats (hour timestamptz not null, provider text not null, ${counts}, primary key (hour, provider))`,
    );
    this.addSql(
      `comment on table event_stats is 'events an hour of receipt and provider; attempts are in the rows without a provider'`,
    );
    this.addSql(
      `create table event_stat_deltas (hour timestamptz not null, provider text not null, ${counts}) ${churning}`,
    );
    this.addSql(
      `create table event_latencies (hour timestamptz not null, bucket integer not null, n integer not null, primary key (hour, bucket))`,
    );
    this.addSql(`comment on table event_latencies is 'deliveries an hour of delivery and bucket of their latency'`);
    this.addSql(
      `create table event_latency_deltas (hour timestamptz not null, bucket integer not null, n integer not null) ${churning}`,
    );
    this.addSql(
      `create table event_values (kind text not null, value text not null, day date not null, primary key (kind, value, day))`,
    );
    this.addSql(
      `comment on table event_values is 'the values that the events of each day have: the choice of filters, and where a list need not look'`,
    );

    this.addSql(`
      create function count_stored_events() returns trigger language plpgsql as $$
      begin
        with kinds as materialized (
          select ${hourOf('received_at')} as received_at, provider, app_key, account_slug, event_type, delivery_status, state, rejection_reason, retries, count(*) as n
          from stored group by 1, 2, 3, 4, 5, 6, 7, 8, 9
        ), counts as (
          insert into event_stat_deltas (hour, provider, ${names}) ${countsOf('kinds', 'sum(n)')}
        )
        ${valuesOf('kinds')};
        return null;
      end $$`);
    this.addSql(`
      create function count_changed_events() returns trigger language plpgsql as $$
      begin
        with change as materialized (
          select 1 as sign, received_at, provider, rejection_reason, generation_at, delivered_at, delivery_status, state, retries from after
          union all
          select -1, received_at, provider, rejection_reason, generation_at, delivered_at, delivery_status, state, retries from before
        ), latencies as (
          insert into event_latency_deltas (hour, bucket, n)
          select * from (${latenciesOf('change', 'sum(sign)')}) d where n <> 0
        )
        insert into event_stat_deltas (hour, provider, ${names})
        select * from (${countsOf('change', 'sum(sign)')}) d where ${counters.map(([name]) => `${name} <> 0`).join(' or ')};
        return null;
      end $$`);
    this.addSql(`
      create function count_attempts() returns trigger language plpgsql as $$
      begin
        insert into event_stat_deltas (hour, provider, attempts) ${attemptsOf('made')};
        return null;
      end $$`);
    this.addSql(`
      create trigger count_stored after insert on events referencing new table as stored
      for each statement execute function count_stored_events()`);
    this.addSql(`
      create trigger count_changed after update on events referencing old table as before new table as after
      for each statement execute function count_changed_events()`);
    this.addSql(`
      create trigger count_attempts after insert on delivery_attempts referencing new table as made
      for each statement execute function count_attempts()`);

    this.addSql(`
      create function recount_events() returns void language plpgsql as $$
      begin
        truncate event_stats, event_stat_deltas, event_latencies, event_latency_deltas, event_values;
        insert into event_stats (hour, provider, ${names}) ${countsOf('events', 'count(*)')};
        insert into event_stats (hour, provider, attempts) ${attemptsOf('delivery_attempts')};
        insert into event_latencies (hour, bucket, n) ${latenciesOf('events', 'count(*)')};
        ${valuesOf('events')};
      end $$`);
    this.addSql(
      `comment on function recount_events is 'fills the statistics from the tables: once here, and after events were put in past the triggers'`,
    );
    this.addSql('select recount_events()');
  }

  override down(): void {
    this.addSql('drop trigger count_attempts on delivery_attempts');
    this.addSql('drop trigger count_changed on events');
    this.addSql('drop trigger count_stored on events');
    this.addSql('drop function recount_events, count_attempts, count_changed_events, count_stored_events');
    this.addSql('drop table event_stats, event_stat_deltas, event_latencies, event_latency_deltas, event_values');
  }
}
