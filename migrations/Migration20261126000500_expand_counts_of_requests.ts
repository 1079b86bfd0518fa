import { Migration } from '@mikro-orm/migrations';

/**
 * Counters by which webhooks and events can be told apart. Both tables at once, because the release before selects all
 * columns of both together.
 */
export class Migration20261126000500_expand_counts_of_requests extends Migration {
  override up(): void {
    this.addSql(`
      alter table event_stats add column siblings integer not null default 0, add column skipped integer not null default 0;
      alter table event_stat_deltas add column siblings integer not null default 0, add column skipped integer not null default 0;
      comment on column event_stats.siblings is 'stored events that are not the first one of their webhook';
      comment on column event_stats.skipped is 'stored webhooks that no consumer gets';`);
  }
}
