import { Migration } from '@mikro-orm/migrations';

/** Which signing secret the webhooks of each account use: src/accounts/secret-uses.ts. */
export class Migration20261125000200_secret_uses extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    this.addSql(`
      create table signing_secret_uses (
        account_id uuid not null,
        slot text not null check (slot in ('current', 'previous', 'unsigned')),
        -- identifies the secret: src/accounts/secret-uses.ts
        tag text not null,
        webhooks bigint not null,
        last_used_at timestamptz not null,
        primary key (account_id, slot, tag)
      )`);
    this.addSql(
      `comment on table signing_secret_uses is 'number of webhooks that each signing secret has verified; written by each api every few seconds'`,
    );
  }
}
