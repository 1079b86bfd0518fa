import { Migration } from '@mikro-orm/migrations';

/**
 * User and password of accounts' URLs are sealed beside them. The columns of the URLs hold none from then on; what they
 * hold already is sealed at the next start, which has the key.
 */
export class Migration20261122050000_edges extends Migration {
  override up(): void {
    this.addSql(`
      alter table accounts
        add column delivery_url_credentials bytea,
        add column project_delivery_url_credentials bytea,
        -- Percent-encoding can make a URL that was taken longer when it is sealed.
        alter column delivery_url type text,
        alter column project_delivery_url type text`);
    for (const field of ['delivery_url', 'project_delivery_url'])
      this.addSql(
        `comment on column accounts.${field}_credentials is 'user:password of ${field}, sealed; null: it has none'`,
      );
  }

  override down(): void {
    this.addSql(`
      alter table accounts
        drop column delivery_url_credentials,
        drop column project_delivery_url_credentials,
        alter column delivery_url type varchar(500),
        alter column project_delivery_url type varchar(500)`);
  }
}
