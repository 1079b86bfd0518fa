-- The list of backups. The files are stored elsewhere, and do not contain this table.
create table backups (
  id uuid primary key,
  name text,
  status text not null check (status in ('running', 'completed', 'failed', 'unverified')),
  trigger text check (trigger in ('schedule', 'operator')),
  workflow_id text,
  size_bytes bigint,
  sha256 text,
  rows bigint,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  alive_at timestamptz not null default now(),
  key_id text,
  encrypted boolean,
  written_rows bigint,
  written_bytes bigint,
  written_tables integer,
  all_tables integer
);
comment on column backups.name is 'name of the file; null while the backup is running';
comment on column backups.trigger is 'null: the file was found in the store';
comment on column backups.rows is 'number of rows of all tables';
comment on column backups.alive_at is 'running: the last heartbeat of the process that makes it; failed: when the failure was detected';
comment on column backups.key_id is 'id of the secrets key that signed it; null until it is completed';
comment on column backups.written_rows is 'running: rows written so far; written every two seconds';
comment on column backups.written_bytes is 'running: bytes of the file so far';
comment on column backups.written_tables is 'running: tables that are written completely';
comment on column backups.all_tables is 'number of tables of the backup';

-- Unique on a constant, so that no process can begin a second backup while one is running.
create unique index backups_running on backups (status) where status = 'running';
comment on index backups_running is 'at most one backup is running';
