import { Migration } from '@mikro-orm/migrations';

/** The events that retention has dropped, which ends the cursors of the feed before them. */
export class Migration20261128000300_expand_ends_of_cursors extends Migration {
  override up(): void {
    this.addSql(`
      create table feed_losses (
        id bigint generated always as identity primary key,
        last_xid xid8 not null,
        last_id uuid not null
      );
      comment on table feed_losses is 'the last place in the feed of each day that retention has dropped, unless a later row has a later place';`);
  }
}
