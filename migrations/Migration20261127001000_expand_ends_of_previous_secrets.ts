import { Migration } from '@mikro-orm/migrations';

/** Until when the previous signing secret of an account is accepted. */
export class Migration20261127001000_expand_ends_of_previous_secrets extends Migration {
  override up(): void {
    this.addSql(`
      alter table accounts add column signing_secret_previous_expires_at timestamptz;
      comment on column accounts.signing_secret_previous_expires_at is 'until when signing_secret_previous is accepted; null: without an end';`);
  }
}
