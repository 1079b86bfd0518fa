-- What is known of backups. Their files are elsewhere, and none of them holds this table.
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
  encrypted boolean
);
comment on column backups.name is 'of its file; running: null';
comment on column backups.trigger is 'null: its file was found in the store';
comment on column backups.rows is 'of all tables together';
comment on column backups.alive_at is 'running: when whoever makes it last said so; failed: when that was found out';
comment on column backups.key_id is 'of the secrets key that signed it; null until it is completed';

-- Unique on a constant: a second backup cannot begin while one runs, in whichever process.
create unique index backups_running on backups (status) where status = 'running';
comment on index backups_running is 'one at a time';
