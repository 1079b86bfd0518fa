import { Migration } from '@mikro-orm/migrations';

/**
 * The minute of each change of the counts, for the series.
 *
 * The triggers' inserts name their columns, so the default of `minute` gives each delta the minute of its change.
 * Deltas that are there already have none, so they count in no minute. Both tables change in one transaction, because the
 * statistics of version 0.2.0 select all columns of totals and deltas together, and fail while they have not as many.
 */
export class Migration20261124000310_stats_minute extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    // The totals first, so that webhooks, which write deltas, wait for one lock only.
    this.addSql('alter table event_stats add column minute timestamptz');
    this.addSql(
      `comment on column event_stats.minute is 'null: version 0.2.0 selects all columns of this table and its deltas together'`,
    );
    this.addSql('alter table event_stat_deltas add column minute timestamptz');
    this.addSql(`alter table event_stat_deltas alter column minute set default date_trunc('minute', now())`);
    this.addSql(`comment on column event_stat_deltas.minute is 'when the change was made'`);
  }
}
