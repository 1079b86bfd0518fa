import { Migration } from '@mikro-orm/migrations';

/** Admin tokens that are created by the API, besides those of the configuration. */
export class Migration20261128000500_expand_admin_tokens extends Migration {
  override up(): void {
    this.addSql(`
      create table admin_tokens (
        id uuid primary key,
        hash text not null,
        name text not null,
        role text not null check (role in ('read', 'operate', 'admin')),
        app_key text,
        account_id uuid,
        expires_at timestamptz,
        created_by text not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        revoked_at timestamptz,
        check (app_key is null or account_id is null),
        check (role <> 'admin' or (app_key is null and account_id is null))
      );
      comment on table admin_tokens is 'tokens of the admin API that were created by it';
      comment on column admin_tokens.hash is 'SHA-256 of the token in hexadecimal; the token is not stored';
      comment on column admin_tokens.app_key is 'limits the token to the accounts with this app_key; with account_id null: no limit';
      comment on column admin_tokens.account_id is 'limits the token to this account';
      comment on column admin_tokens.created_by is 'name of the token that created it';
      comment on column admin_tokens.last_used_at is 'to ten minutes';
      create unique index admin_tokens_names on admin_tokens (name) where revoked_at is null;
      comment on index admin_tokens_names is 'one token of a name at a time, and reads of those in force';`);
  }
}
