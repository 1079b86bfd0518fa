import { Migration } from '@mikro-orm/migrations';

/** What an account sets about its provider's scheme. */
export class Migration20261121000007_provider_config extends Migration {
  override up(): void {
    this.addSql('alter table accounts add column provider_config bytea');
    this.addSql(
      `comment on column accounts.provider_config is 'JSON, sealed like the secrets, as some settings are secret; null: {}'`,
    );
  }

  override down(): void {
    this.addSql('alter table accounts drop column provider_config');
  }
}
