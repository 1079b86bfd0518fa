import { StartError } from '../shared/start-error.ts';
import { functionChanges } from './functions.ts';
import { migrations } from './migrations.ts';
import type { Sql } from './sql.ts';

const readApplied = {
  name: 'read_applied_migrations',
  text: 'select name, current_database() as database from mikro_orm_migrations order by id',
};

/**
 * How the migrations of a database or a backup relate to those of this version:
 *
 * - `usable`: they are the same, or the first ones of this version; `npm run migrate` can apply the others
 * - `unreleased`: they belong to a version before the first release, which cannot be converted
 * - `newer`: a later version has applied more
 */
export type SchemaAge = 'usable' | 'unreleased' | 'newer';

/**
 * @param applied the names of the migrations in the database or in a backup's manifest; empty for an empty database.
 */
export function schemaAge(applied: readonly string[]): SchemaAge {
  const unknown = unknownMigrations(applied);
  if (unknown.length === 0) return 'usable';
  // Names begin with a time. All migrations before the first release are older than that of the first release.
  const [first] = migrations;
  return unknown.some((name) => first === undefined || name > first.name) ? 'newer' : 'unreleased';
}

/** The migrations in `applied` that this version does not have. */
export function unknownMigrations(applied: readonly string[]): string[] {
  return applied.filter((name) => migrations.every((known) => known.name !== name));
}

/**
 * Refuses a database that this version must not migrate.
 *
 * @returns the names of the migrations that were applied to it.
 * @throws StartError for the schema of another version; the database's error when there is no table of migrations.
 */
export async function refuseOtherSchema(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ name: string; database: string }>(readApplied, []);
  const applied = rows.map(({ name }) => name);
  const age = schemaAge(applied);
  if (age === 'usable') return applied;
  const unknown = unknownMigrations(applied);
  const [name = ''] = unknown;
  const named = unknown.length === 1 ? name : `${name} and ${unknown.length - 1} more`;
  const database = `The database ${rows[0]?.database}`;
  throw new StartError(
    age === 'newer'
      ? `${database} is newer than this program, which does not know its migration ${named}. Nothing was changed. ` +
          'Start the version that migrated it, or a later one.'
      : `${database} has the schema of a version from before the first release (migration ${named}). This version can ` +
          'neither use nor convert it. Nothing was changed. Start this version with an empty database: set DATABASE_URL, or ' +
          'DATA_DIR with npm start. Keep the old version running on the old database until it has delivered its events.',
  );
}

/**
 * Checks that the database has the schema of this program. With an older one, the program would seem to run, but single
 * statements would fail.
 *
 * @throws StartError when migrations or functions are missing, and for the schema of another version; the database's
 *   error when there is no schema.
 */
export async function checkSchema(sql: Sql): Promise<void> {
  const applied = await refuseOtherSchema(sql);
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  if (missing.length > 0)
    throw new StartError(
      `The database is older than this program: ${missing.length} of ${migrations.length} migrations are missing. ` +
        'Run `npm run migrate`, then start again.',
    );
  const { change, drop } = await functionChanges(sql);
  if (change.length + drop.length === 0) return;
  const names = [...change.map(({ name }) => name), ...drop].join(', ');
  throw new StartError(
    `The database has other functions than this program: ${names}. Run \`npm run migrate\`, then start again.`,
  );
}
