import { Migration } from '@mikro-orm/migrations';

/** Where operators are told of exhausted events. The config is sealed: chat addresses and webhook secrets are credentials. */
export class Migration20261121000002_destinations extends Migration {
  override up(): void {
    this.addSql(`
      create table destinations (
        id uuid primary key,
        account_id uuid not null references accounts (id),
        destination_type text not null check (destination_type in ('webhook', 'email', 'chat_one', 'chat_two')),
        name varchar(200) not null,
        config bytea not null,
        condition varchar(1000),
        enabled boolean not null,
        position integer not null,
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    this.addSql(
      `comment on column destinations.config is 'JSON by type in an AES-256-GCM box: src/secrets/secret-box.ts'`,
    );
    this.addSql('create index destinations_of_account on destinations (account_id, position, created_at, id)');
    this.addSql(
      `comment on index destinations_of_account is 'operators: the destinations of an account in their order; exhausted events: those to tell'`,
    );
  }

  override down(): void {
    this.addSql('drop table destinations');
  }
}
