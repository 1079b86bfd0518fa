import { Migration } from '@mikro-orm/migrations';

/**
 * How far a running backup is. Columns without a default change the catalog only; a backup that a worker of release 0.2.0
 * makes has no progress.
 */
export class Migration20261125000500_backup_progress extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    this.addSql(`
      alter table backups add column written_rows bigint, add column written_bytes bigint,
        add column written_tables integer, add column all_tables integer`);
    for (const [column, meaning] of Object.entries(columns))
      this.addSql(`comment on column backups.${column} is '${meaning}'`);
  }
}

const columns = {
  written_rows: 'running: rows written so far; written every two seconds',
  written_bytes: 'running: bytes of the file so far',
  written_tables: 'running: tables that are written completely',
  all_tables: 'number of tables of the backup',
};
