import { Migration } from '@mikro-orm/migrations';

/**
 * The table in which migrations after the first one are recorded. Release 0.2.0 refuses a database whose
 * `mikro_orm_migrations` has names that it does not know, and does not look into this table. So processes of 0.2.0 can
 * start and run on the schema of later releases.
 */
export class Migration20261124000050_applied_migrations extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    this.addSql(`
      create table applied_migrations (
        name text primary key,
        kind text not null,
        -- the release whose migrate applied it
        applied_by text not null,
        -- the oldest release that can run on the schema with this migration
        oldest_release text not null,
        applied_at timestamptz not null default clock_timestamp()
      )`);
  }
}
