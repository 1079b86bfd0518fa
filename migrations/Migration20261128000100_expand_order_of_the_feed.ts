import { Migration } from '@mikro-orm/migrations';

/**
 * The place of each event in the feed. The default is stable, so PostgreSQL rewrites no rows: those of before have the id
 * of this transaction.
 */
export class Migration20261128000100_expand_order_of_the_feed extends Migration {
  override up(): void {
    this.addSql(`
      alter table events add column stored_xid xid8 not null default pg_current_xact_id();
      comment on column events.stored_xid is 'the transaction that has stored the event; with the id, its place in the feed';`);
  }
}
