import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/**
 * The whole schema, with one file in `schema/` for each noun. src/database/partitions.ts creates the partitions.
 * src/database/functions.ts creates the functions before this migration, because its triggers call them.
 *
 * Databases that commit fb8705c2741348d8bb5e455d37cb4af5290beba4 has migrated have this name in their table of
 * migrations, and the same schema: test/upgrade/schema.test.ts. So these files must not change: a change of the schema
 * needs a new migration.
 */
export class Migration20261123000000_schema extends Migration {
  override up(): void {
    for (const noun of nouns)
      this.addSql(readFileSync(new URL(`./schema/${noun}.sql`, import.meta.url), { encoding: 'utf8' }));
  }
}

/** The order matters: `destinations` references accounts, and `statistics` has triggers on events. */
const nouns = [
  ...['accounts', 'destinations', 'events', 'delivery-queue', 'rejected-webhooks', 'statistics', 'consumers'],
  ...['bulk-jobs', 'notifications', 'audit', 'backups', 'settings', 'secrets-keys', 'applied-migrations'],
];
