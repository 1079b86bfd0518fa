import { Migration } from '@mikro-orm/migrations';

/** What a destination is told: those that exist, and those that the release before creates, of failed events only. */
export class Migration20261127003500_expand_kinds_of_destinations extends Migration {
  override up(): void {
    this.addSql(`
      alter table destinations add column kinds text[] not null default '{delivery.failed}';
      comment on column destinations.kinds is 'the kinds of messages that it gets: src/notifications/destinations/destination-kinds.ts';`);
  }
}
