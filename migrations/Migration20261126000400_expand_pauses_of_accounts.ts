import { Migration } from '@mikro-orm/migrations';

/** The pause of an account, and a number by which ingestion sees that its consumers have changed. */
export class Migration20261126000400_expand_pauses_of_accounts extends Migration {
  override up(): void {
    this.addSql(`
      alter table accounts
        add column consumers_revision integer not null default 0,
        add column paused_since timestamptz,
        add column pause_reason text;
      comment on column accounts.consumers_revision is 'increased by each change that decides which consumers get a webhook';
      comment on column accounts.paused_since is 'since when deliveries to all consumers of the account are paused; null: they are not';`);
  }
}
