import { Migration } from '@mikro-orm/migrations';

/**
 * Counts and latencies over time (`GET /admin/delivery/series`): what happened in each minute and hour, while
 * `event_stats` counts by the hour of receipt.
 */
export class Migration20261124000300_series extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
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
