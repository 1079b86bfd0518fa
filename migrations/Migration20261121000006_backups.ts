import { Migration } from '@mikro-orm/migrations';

/** What is known of backups. Their files are elsewhere, and none of them holds this table. */
export class Migration20261121000006_backups extends Migration {
  override up(): void {
    this.addSql(`
      create table backups (
        id uuid primary key,
        name text,
        status text not null check (status in ('running', 'completed', 'failed')),
        trigger text check (trigger in ('schedule', 'operator')),
        workflow_id text,
        size_bytes bigint,
        sha256 text,
        rows bigint,
        error text,
        created_at timestamptz not null default now(),
        finished_at timestamptz,
        alive_at timestamptz not null default now()
      )`);
    const comments = {
      name: 'of its file; running: null',
      trigger: 'null: its file was found in the store',
      rows: 'of all tables together',
      alive_at: 'running: when whoever makes it last said so; failed: when that was found out',
    };
    for (const [column, comment] of Object.entries(comments))
      this.addSql(`comment on column backups.${column} is '${comment}'`);
    this.addSql(`create unique index backups_running on backups (status) where status = 'running'`);
    this.addSql(`comment on index backups_running is 'one at a time'`);
  }

  override down(): void {
    this.addSql('drop table backups');
  }
}
