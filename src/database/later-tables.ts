import { readFileSync } from 'node:fs';
import type { Sql } from './sql.ts';

/**
 * Tables that the release before does not have, each with its file in migrations/tables/. They are created if they are
 * missing, and are in no list of migrations: processes of the release before do not start on a migration that they do not
 * know (src/database/applied-migrations.ts). The next release makes migrations of them.
 */
export const laterTables: readonly string[] = ['processes'];

const find = { name: '', text: 'select name from unnest($1::text[]) as t (name) where to_regclass(name) is null' };

/** The names of those that are missing. */
export async function missingTables(sql: Sql): Promise<string[]> {
  return (await sql.query<{ name: string }>(find, [laterTables])).map(({ name }) => name);
}

/** Creates those that are missing, and returns their names. */
export async function createLaterTables(sql: Sql): Promise<string[]> {
  const missing = await missingTables(sql);
  for (const name of missing) {
    const text = readFileSync(new URL(`../../migrations/tables/${name}.sql`, import.meta.url), 'utf8');
    await sql.query({ name: '', text }, []);
  }
  return missing;
}
