import { migrateOnce } from '../database/migrate.ts';
import { needed } from './needed.ts';
import type { RoleContext } from './role-context.ts';

/** The role `migrate`: updates the database schema and ends. */
export async function runMigrate({ config, log }: RoleContext): Promise<void> {
  const { migrations, functions } = await migrateOnce(needed(config.databaseUrl), log);
  if (migrations.length > 0) console.log(`Applied: ${migrations.join(', ')}`);
  if (functions.length > 0) console.log(`Functions: ${functions.join(', ')}`);
  if (migrations.length + functions.length === 0) console.log('The schema is up to date.');
}
