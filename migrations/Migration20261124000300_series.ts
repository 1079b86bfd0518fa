import { Migration } from '@mikro-orm/migrations';

/**
 * Counts and latencies over time (`GET /admin/delivery/series`): what happened in each minute and hour, while
 * `event_stats` counts by the hour of receipt.
 *
 * The triggers' inserts name their columns, so the default of `minute` gives each delta the minute of its change.
 * Deltas that are there already have none, so they count in no minute. The totals get the column, too, because the
 * statistics of version 0.2.0 select all columns of totals and deltas together.
 */
export class Migration20261124000300_series extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    for (const name of ['stat', 'latency']) {
      const totals = name === 'stat' ? 'event_stats' : 'event_latencies';
      this.addSql(`alter table event_${name}_deltas add column minute timestamptz`);
      this.addSql(`alter table event_${name}_deltas alter column minute set default date_trunc('minute', now())`);
      this.addSql(`comment on column event_${name}_deltas.minute is 'when the change was made'`);
      this.addSql(`alter table ${totals} add column minute timestamptz`);
      this.addSql(
        `comment on column ${totals}.minute is 'null: version 0.2.0 selects all columns of this table and its deltas together'`,
      );
    }
    this.addSql(`
      create table event_series (
        minutes integer not null check (minutes in (1, 60)),
        at timestamptz not null,
        provider text not null,
        received integer not null default 0,
        rejected integer not null default 0,
        delivered integer not null default 0,
        failed integer not null default 0,
        pending_change integer not null default 0,
        attempts integer not null default 0,
        primary key (minutes, at, provider)
      )`);
    this.addSql(
      `comment on table event_series is 'what happened in each minute (48 hours) and hour (32 days); attempts are in rows with an empty provider'`,
    );
    this.addSql(`
      create table event_series_latencies (
        minutes integer not null check (minutes in (1, 60)),
        at timestamptz not null,
        bucket integer not null,
        n integer not null,
        primary key (minutes, at, bucket)
      )`);
    this.addSql(
      `comment on table event_series_latencies is 'number of deliveries per minute or hour of their recording and latency bucket'`,
    );
  }
}
