import { StartError } from '../shared/start-error.ts';
import { migrations } from './migrations.ts';
import type { Sql } from './sql.ts';

const readApplied = { name: 'read_applied_migrations', text: 'select name from mikro_orm_migrations' };

/**
 * Makes sure that the schema is the one that this program was written for: with an older one, statements would fail one by
 * one while everything seems to run.
 *
 * @throws StartError while migrations are missing; what the database throws when there is no schema at all.
 */
export async function checkSchema(sql: Sql): Promise<void> {
  const applied = new Set((await sql.query<{ name: string }>(readApplied, [])).map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !applied.has(name));
  if (missing.length === 0) return;
  throw new StartError(
    `The database is older than this program: ${missing.length} of ${migrations.length} migrations are missing. ` +
      'Run `npm run migrate`, then start again.',
  );
}
