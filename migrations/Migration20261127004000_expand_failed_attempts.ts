import { Migration } from '@mikro-orm/migrations';

/**
 * How many of the counted attempts failed. Both tables at once, because release 0.2.0 selects all columns of both
 * together.
 */
export class Migration20261127004000_expand_failed_attempts extends Migration {
  override up(): void {
    this.addSql(`
      alter table event_stats add column failed_attempts integer not null default 0;
      alter table event_stat_deltas add column failed_attempts integer not null default 0;`);
  }
}
