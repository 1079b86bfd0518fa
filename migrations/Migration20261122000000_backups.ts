import { Migration } from '@mikro-orm/migrations';

/** Backups are signed and encrypted; a file whose signature does not hold is listed, and counts for nothing. */
export class Migration20261122000000_backups extends Migration {
  override up(): void {
    this.addSql('alter table backups add column key_id text, add column encrypted boolean');
    this.addSql('alter table backups drop constraint backups_status_check');
    this.addSql(
      `alter table backups add constraint backups_status_check check (status in ('running', 'completed', 'failed', 'unverified'))`,
    );
    this.addSql(`comment on column backups.key_id is 'of the secrets key that signed it; null until it is completed'`);
  }

  override down(): void {
    this.addSql(`delete from backups where status = 'unverified'`);
    this.addSql('alter table backups drop constraint backups_status_check');
    this.addSql(
      `alter table backups add constraint backups_status_check check (status in ('running', 'completed', 'failed'))`,
    );
    this.addSql('alter table backups drop column key_id, drop column encrypted');
  }
}
