import { queryOnce } from './one-connection.ts';

/** The migrations of the versions before the first release, of which the schema is today's. */
export const unreleasedMigrations: readonly string[] = [
  'Migration20261120000000_initial',
  'Migration20261120000001_locked_changes',
  'Migration20261121000000_event_lists',
  'Migration20261121000000_event_statistics',
  'Migration20261121000000_replay_failed',
  'Migration20261121000001_audit',
  'Migration20261121000002_destinations',
  'Migration20261121000003_stopped_accounts',
  'Migration20261121000004_notifications',
  'Migration20261121000005_retention',
  'Migration20261121000006_backups',
  'Migration20261121000007_provider_config',
  'Migration20261121000008_gone_events',
  'Migration20261122000000_backups',
  'Migration20261122000000_rejected',
  'Migration20261122050000_edges',
  'Migration20261122050000_secrets',
];

/** Makes a migrated database one of a version from before the first release. */
export async function toUnreleased(databaseUrl: string): Promise<void> {
  await queryOnce(databaseUrl, 'delete from mikro_orm_migrations');
  await queryOnce(databaseUrl, 'insert into mikro_orm_migrations (name) select unnest($1::text[])', [
    unreleasedMigrations,
  ]);
}
