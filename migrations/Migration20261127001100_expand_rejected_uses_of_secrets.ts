import { Migration } from '@mikro-orm/migrations';

/** Rejected webhooks are counted beside those that a signing secret has verified. */
export class Migration20261127001100_expand_rejected_uses_of_secrets extends Migration {
  override up(): void {
    this.addSql(`
      alter table signing_secret_uses
        drop constraint signing_secret_uses_slot_check,
        add constraint signing_secret_uses_slot_check check (slot in ('current', 'previous', 'unsigned', 'rejected')) not valid;
      comment on table signing_secret_uses is 'number of webhooks that each signing secret has verified, or that were rejected since the current one was set; written by each api every few seconds';`);
  }
}
