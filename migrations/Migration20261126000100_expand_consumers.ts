import { Migration } from '@mikro-orm/migrations';

/** Consumers of an account besides the one that the account itself describes, and their columns of accounts. */
export class Migration20261126000100_expand_consumers extends Migration {
  override up(): void {
    this.addSql(`
      create table consumers (
        id uuid primary key,
        account_id uuid not null,
        name varchar(40) not null,
        url text,
        url_credentials bytea,
        secret bytea,
        enabled boolean not null default true,
        condition text,
        options json,
        sealed_options bytea,
        certificate_expires_at timestamptz,
        paused_since timestamptz,
        pause_reason text,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        deleted_at timestamptz
      );
      comment on table consumers is 'where the events of an account are delivered; the row of the consumer default exists once a setting of it was changed';
      comment on column consumers.id is 'for default: the id of the account';
      comment on column consumers.url is 'null for default, which has the addresses of its account';
      comment on column consumers.url_credentials is 'user:password of url, sealed; null: none';
      comment on column consumers.condition is 'which webhooks become an event of this consumer (src/conditions/); null: all';
      comment on column consumers.options is 'headers, statuses and timeout of its deliveries; null: as usual';
      comment on column consumers.sealed_options is 'secret settings of its deliveries, sealed; null: none';
      comment on column consumers.certificate_expires_at is 'of the client certificate in sealed_options; null: it has none';
      create unique index consumers_name on consumers (account_id, name) where deleted_at is null;
      comment on index consumers_name is 'the consumers of an account; a deleted one frees its name';
      create index consumers_of_account on consumers (account_id);
      comment on index consumers_of_account is 'all consumers that an account has or had';
      create trigger refuse_retired_key before insert or update of url_credentials, secret, sealed_options
      on consumers for each row execute function refuse_retired_key('url_credentials', 'secret', 'sealed_options');`);
  }
}
