import type { Sql } from './sql.ts';

/** The oldest commit from whose databases this version can upgrade. Databases of older ones it refuses. */
export const oldestUpgrade = 'fb8705c2741348d8bb5e455d37cb4af5290beba4';

/**
 * The migrations by which that commit differs from older ones. The first migration now contains what they did. Their
 * names are in the table `applied_migrations`, of databases of that commit as of new ones, because processes of that commit
 * read it (migrations/schema/applied-migrations.sql). They are also in backups.
 */
export const squashed: readonly string[] = [
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
  'Migration20261125000500_backup_progress',
];

// Without names, because prepared statements would not see a table that is created or dropped later.
const readLedger = { name: '', text: 'select name from mikro_orm_migrations order by id' };
const findSquashed = { name: '', text: `select to_regclass('applied_migrations') is not null as present` };
const readSquashed = { name: '', text: 'select name from applied_migrations order by name' };

/**
 * The names of the migrations of a database, oldest first, with the squashed ones after the others. A later release may
 * have dropped the table of these.
 *
 * @throws the database's error when it has no table of migrations.
 */
export async function readApplied(sql: Sql): Promise<string[]> {
  const ledger = await sql.query<{ name: string }>(readLedger, []);
  const [table] = await sql.query<{ present: boolean }>(findSquashed, []);
  const rows = table?.present ? await sql.query<{ name: string }>(readSquashed, []) : [];
  return [...ledger, ...rows].map(({ name }) => name);
}
