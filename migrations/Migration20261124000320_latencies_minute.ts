import { Migration } from '@mikro-orm/migrations';

/**
 * The minute of each change of the latencies, for the series: as Migration20261124000310_stats_minute for the counts.
 */
export class Migration20261124000320_latencies_minute extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    // The totals first, so that webhooks, which write deltas, wait for one lock only.
    this.addSql('alter table event_latencies add column minute timestamptz');
    this.addSql(
      `comment on column event_latencies.minute is 'null: version 0.2.0 selects all columns of this table and its deltas together'`,
    );
    this.addSql('alter table event_latency_deltas add column minute timestamptz');
    this.addSql(`alter table event_latency_deltas alter column minute set default date_trunc('minute', now())`);
    this.addSql(`comment on column event_latency_deltas.minute is 'when the change was made'`);
  }
}
