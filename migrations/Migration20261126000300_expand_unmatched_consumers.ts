import { Migration } from '@mikro-orm/migrations';

/** Which consumers did not want a webhook, kept with its payload. */
export class Migration20261126000300_expand_unmatched_consumers extends Migration {
  override up(): void {
    this.addSql(`
      alter table event_payloads add column unmatched text[];
      comment on column event_payloads.unmatched is 'names of the consumers whose condition the webhook did not meet; null: none';`);
  }
}
