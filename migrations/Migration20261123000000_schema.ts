import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/**
 * The schema, with one file in `schema/` for each noun. src/database/partitions.ts creates the partitions.
 * src/database/functions.ts creates the functions before this migration, because its triggers call them.
 *
 * After the release, these files must not change. A change of the schema needs a new migration.
 */
export class Migration20261123000000_schema extends Migration {
  override up(): void {
    for (const noun of nouns)
      this.addSql(readFileSync(new URL(`./schema/${noun}.sql`, import.meta.url), { encoding: 'utf8' }));
  }

  override down(): void {
    this.addSql(`drop table ${tables.join(', ')}`);
  }
}

/** The order matters: `destinations` references accounts, and `statistics` has triggers on events. */
const nouns = [
  ...['accounts', 'destinations', 'events', 'delivery-queue', 'rejected-webhooks', 'statistics', 'notifications'],
  ...['audit', 'backups', 'settings', 'secrets-keys'],
];

const tables = [
  ...['accounts', 'destinations', 'events', 'event_payloads', 'delivery_attempts', 'event_dedup'],
  ...['event_queue', 'event_commands', 'event_replays', 'stopped_accounts', 'rejection_counts', 'rejection_days'],
  ...['event_stats', 'event_stat_deltas', 'event_latencies', 'event_latency_deltas', 'event_values'],
  ...['notifications', 'notification_summaries', 'notification_bursts', 'audit_logs', 'audit_chain', 'backups'],
  ...['gateway_settings', 'secrets_keys'],
];
