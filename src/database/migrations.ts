import type { Migration } from '@mikro-orm/migrations';
import { Migration20261123000000_schema } from '../../migrations/Migration20261123000000_schema.ts';
import { Migration20261124000050_applied_migrations } from '../../migrations/Migration20261124000050_applied_migrations.ts';
import { Migration20261124000100_pending_hours } from '../../migrations/Migration20261124000100_pending_hours.ts';
import { Migration20261124000200_traces } from '../../migrations/Migration20261124000200_traces.ts';
import { Migration20261124000300_series } from '../../migrations/Migration20261124000300_series.ts';
import { Migration20261124000310_stats_minute } from '../../migrations/Migration20261124000310_stats_minute.ts';
import { Migration20261124000320_latencies_minute } from '../../migrations/Migration20261124000320_latencies_minute.ts';
import { Migration20261124000400_bulk_jobs } from '../../migrations/Migration20261124000400_bulk_jobs.ts';
import { Migration20261125000100_attempt_parts } from '../../migrations/Migration20261125000100_attempt_parts.ts';
import { Migration20261125000200_secret_uses } from '../../migrations/Migration20261125000200_secret_uses.ts';
import { Migration20261125000300_account_deliveries } from '../../migrations/Migration20261125000300_account_deliveries.ts';
import { Migration20261125000400_audit_events } from '../../migrations/Migration20261125000400_audit_events.ts';
import { Migration20261125000500_backup_progress } from '../../migrations/Migration20261125000500_backup_progress.ts';
import { Migration20261125190000_processes } from '../../migrations/Migration20261125190000_processes.ts';

/** The class of a migration after the first one. docs/upgrades.md has the rules. */
export interface SchemaChange {
  new (...parameters: ConstructorParameters<typeof Migration>): Migration;
  /**
   * - `expand`: adds what a later release uses, and leaves what the release before uses
   * - `contract`: removes what no supported release uses any more
   */
  readonly kind: 'expand' | 'contract';
  /** The oldest release that can run on the schema with this migration, such as `0.2.0`. */
  readonly oldestRelease: string;
}

export interface LaterMigration {
  name: string;
  class: SchemaChange;
}

/** The schema of the first release, recorded in `mikro_orm_migrations`: the only one that release 0.2.0 knows. */
export const firstMigration = { name: 'Migration20261123000000_schema', class: Migration20261123000000_schema };

/**
 * The other migrations, oldest first, recorded in `applied_migrations`. They are imported, so that a missing file is a
 * type error.
 */
export const laterMigrations: readonly LaterMigration[] = [
  { name: 'Migration20261124000050_applied_migrations', class: Migration20261124000050_applied_migrations },
  { name: 'Migration20261124000100_pending_hours', class: Migration20261124000100_pending_hours },
  { name: 'Migration20261124000200_traces', class: Migration20261124000200_traces },
  { name: 'Migration20261124000300_series', class: Migration20261124000300_series },
  { name: 'Migration20261124000310_stats_minute', class: Migration20261124000310_stats_minute },
  { name: 'Migration20261124000320_latencies_minute', class: Migration20261124000320_latencies_minute },
  { name: 'Migration20261124000400_bulk_jobs', class: Migration20261124000400_bulk_jobs },
  { name: 'Migration20261125000100_attempt_parts', class: Migration20261125000100_attempt_parts },
  { name: 'Migration20261125000200_secret_uses', class: Migration20261125000200_secret_uses },
  { name: 'Migration20261125000300_account_deliveries', class: Migration20261125000300_account_deliveries },
  { name: 'Migration20261125000400_audit_events', class: Migration20261125000400_audit_events },
  { name: 'Migration20261125000500_backup_progress', class: Migration20261125000500_backup_progress },
  { name: 'Migration20261125190000_processes', class: Migration20261125190000_processes },
];

/** All migrations, oldest first. */
export const migrations: readonly { name: string }[] = [firstMigration, ...laterMigrations];
