import { Migration } from '@mikro-orm/migrations';

/**
 * Finds the hours with pending events without reading the counts of all hours: the number of pending deliveries is read
 * every few seconds, and without a limit of retention event_stats grows by a row per hour and provider.
 */
export class Migration20261124000100_pending_hours extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    // Concurrently, because each webhook is counted in this table. An interrupted build leaves an invalid index.
    this.addSql('drop index concurrently if exists event_stats_pending');
    this.addSql('create index concurrently event_stats_pending on event_stats (hour) where pending <> 0');
    this.addSql(
      "comment on index event_stats_pending is 'metrics: the number of pending events and their oldest hour'",
    );
  }

  override isTransactional(): boolean {
    return false;
  }
}
