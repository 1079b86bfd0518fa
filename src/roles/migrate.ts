import { migrateOnce } from '../database/migrate.ts';
import { needed } from './needed.ts';
import type { RoleContext } from './role-context.ts';

/** The role `migrate`: updates the database schema and ends. */
export async function runMigrate({ config, log }: RoleContext): Promise<void> {
  const applied = await migrateOnce(needed(config.databaseUrl), log);
  console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`);
}
