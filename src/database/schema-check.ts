import { gte, rsort } from 'semver';
import { StartError } from '../shared/start-error.ts';
import { version } from '../shared/version.ts';
import { type AppliedMigration, readApplied } from './applied-migrations.ts';
import { functionChanges } from './functions.ts';
import { firstMigration, type LaterMigration, laterMigrations } from './migrations.ts';
import type { Sql } from './sql.ts';

/** A release of the gateway, by what its schema is judged. */
export interface Release {
  version: string;
  /** Its migrations after the first one. */
  later: readonly LaterMigration[];
}

export const thisRelease: Release = { version, later: laterMigrations };

/**
 * How the migrations of a database or a backup relate to those of a release:
 *
 * - `usable`: they are the same, or the first ones of this version; `npm run migrate` can apply the others
 * - `unreleased`: they belong to a version before the first release, which cannot be converted
 * - `newer`: a later version has applied more
 */
export type SchemaAge = 'usable' | 'unreleased' | 'newer';

/**
 * @param applied the names of the migrations in the database or in a backup's manifest; empty for an empty database.
 */
export function schemaAge(applied: readonly string[], release: Release = thisRelease): SchemaAge {
  const unknown = unknownMigrations(applied, release);
  if (unknown.length === 0) return 'usable';
  // Names begin with a time. All migrations before the first release are older than that of the first release.
  return unknown.some((name) => name > firstMigration.name) ? 'newer' : 'unreleased';
}

/** The migrations in `applied` that a release does not have. */
export function unknownMigrations(applied: readonly string[], release: Release = thisRelease): string[] {
  const known = [firstMigration, ...release.later];
  return applied.filter((name) => known.every((one) => one.name !== name));
}

/** What is known of a schema that a release may use. */
export interface UsableSchema {
  /** The names of the migrations that were applied to it, oldest first. */
  applied: string[];
  /** Whether a later release has applied migrations that this one does not know, and can run with. */
  newer: boolean;
}

/**
 * Refuses a database that a release can neither use nor migrate. A newer schema is usable when each migration that the
 * release does not know was declared to work with it (`SchemaChange.oldestRelease`).
 *
 * @throws StartError for the schema of another version; the database's error when there is no table of migrations.
 */
export async function refuseOtherSchema(sql: Sql, release: Release = thisRelease): Promise<UsableSchema> {
  const migrations = await readApplied(sql);
  const applied = migrations.map(({ name }) => name);
  const age = schemaAge(applied, release);
  if (age === 'usable') return { applied, newer: false };
  const names = unknownMigrations(applied, release);
  const unknown = migrations.filter(({ name }) => names.includes(name));
  if (age === 'newer' && unknown.every((migration) => canRunWith(migration, release))) return { applied, newer: true };
  const [row] = await sql.query<{ name: string }>({ name: '', text: 'select current_database() as name' }, []);
  throw new StartError(`The database ${row?.name} ${refusal(age, unknown, release)}`);
}

const canRunWith = ({ release: by }: AppliedMigration, { version }: Release) => by !== null && gte(version, by.oldest);

function refusal(age: SchemaAge, unknown: readonly AppliedMigration[], release: Release): string {
  const [{ name } = { name: '' }] = unknown;
  const named = unknown.length === 1 ? name : `${name} and ${unknown.length - 1} more`;
  if (age === 'unreleased')
    return (
      `has the schema of a version from before the first release (migration ${named}). This version can ` +
      'neither use nor convert it. Nothing was changed. Start this version with an empty database: set DATABASE_URL, or ' +
      'DATA_DIR with npm start. Keep the old version running on the old database until it has delivered its events.'
    );
  const oldest = unknown.map((migration) => migration.release?.oldest);
  // In the table of the first migration, only another program can have recorded later ones.
  if (oldest.some((one) => one === undefined))
    return (
      `is newer than this program, which does not know its migration ${named}. Nothing was changed. ` +
      'Start the version that migrated it, or a later one.'
    );
  const [needed = ''] = rsort(oldest.filter((one) => one !== undefined));
  return (
    `is newer than this program: it has the migration ${named}, which releases before ${needed} cannot run with; this ` +
    `one is ${release.version}. Nothing was changed. Start release ${needed} or a later one.`
  );
}

/**
 * Checks that a release can run on the schema of the database. With an older schema, the program would seem to run, but
 * single statements would fail.
 *
 * @throws StartError when migrations or functions are missing, and for the schema of another version; the database's
 *   error when there is no schema.
 */
export async function checkSchema(sql: Sql, release: Release = thisRelease): Promise<void> {
  const { applied, newer } = await refuseOtherSchema(sql, release);
  const known = [firstMigration, ...release.later];
  const missing = known.filter(({ name }) => !applied.includes(name));
  if (missing.length > 0)
    throw new StartError(
      `The database is older than this program: ${missing.length} of ${known.length} migrations are missing. ` +
        'Run `npm run migrate`, then start again.',
    );
  const { change, drop } = await functionChanges(sql, { newer });
  if (change.length + drop.length === 0) return;
  const names = [...change.map(({ name }) => name), ...drop].join(', ');
  throw new StartError(
    `The database has other functions than this program: ${names}. Run \`npm run migrate\`, then start again.`,
  );
}
