-- A second list of migrations, which processes of commit fb8705c2741348d8bb5e455d37cb4af5290beba4 read: with a row
-- missing, they do not start. It also tells a database that was migrated by that commit from an older one
-- (src/database/applied-migrations.ts). Nothing writes to it any more. A contracting migration drops it as soon as that
-- commit is no longer the release before (test/upgrade/release-before.ts).
create table applied_migrations (
  name text primary key,
  kind text not null,
  applied_by text not null,
  oldest_release text not null,
  applied_at timestamptz not null default clock_timestamp()
);
insert into applied_migrations (name, kind, applied_by, oldest_release)
select name, 'expand', '0.2.0', '0.2.0' from unnest(array[
  'Migration20261124000050_applied_migrations',
  'Migration20261124000100_pending_hours',
  'Migration20261124000200_traces',
  'Migration20261124000300_series',
  'Migration20261124000310_stats_minute',
  'Migration20261124000320_latencies_minute',
  'Migration20261124000400_bulk_jobs',
  'Migration20261125000100_attempt_parts',
  'Migration20261125000200_secret_uses',
  'Migration20261125000300_account_deliveries',
  'Migration20261125000400_audit_events',
  'Migration20261125000500_backup_progress'
]) as name;
