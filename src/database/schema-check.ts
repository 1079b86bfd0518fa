import { gte, rsort } from 'semver';
import { StartError } from '../shared/start-error.ts';
import { version } from '../shared/version.ts';
import { oldestUpgrade, readApplied, squashed } from './applied-migrations.ts';
import { functionChanges } from './functions.ts';
import { changeOf, firstMigration, migrations, type NamedMigration } from './migrations.ts';
import type { Sql } from './sql.ts';

/** A release of the gateway, by what its schema is judged. */
export interface Release {
  version: string;
  /** Oldest first. */
  migrations: readonly NamedMigration[];
}

export const thisRelease: Release = { version, migrations };

/**
 * How the migrations of a database or a backup relate to those of a release:
 *
 * - `usable`: they are the same, or the first ones of this version; `npm run migrate` can apply the others
 * - `unreleased`: they belong to a version before the first release, which cannot be converted
 * - `older`: some of the squashed migrations are missing, so the first migration did less than today
 * - `newer`: a later version has applied more
 */
export type SchemaAge = 'usable' | 'unreleased' | 'older' | 'newer';

/**
 * @param applied the names of the migrations in the database or in a backup's manifest; empty for an empty database.
 */
export function schemaAge(applied: readonly string[], release: Release = thisRelease): SchemaAge {
  const unknown = unknownMigrations(applied, release);
  // Names begin with a time. All migrations before the first release are older than that of the first release.
  if (unknown.length > 0) return unknown.some((name) => name > firstMigration.name) ? 'newer' : 'unreleased';
  return applied.length > 0 && missingSquashed(applied).length > 0 ? 'older' : 'usable';
}

/** The migrations in `applied` that a release does not have. */
export function unknownMigrations(applied: readonly string[], release: Release = thisRelease): string[] {
  const known = [...release.migrations.map(({ name }) => name), ...squashed];
  return applied.filter((name) => !known.includes(name));
}

/** The squashed migrations that are missing: of a schema that is older than `oldestUpgrade`. */
export const missingSquashed = (applied: readonly string[]): string[] =>
  squashed.filter((name) => !applied.includes(name));

/** What is known of a schema that a release may use. */
export interface UsableSchema {
  /** The names of the migrations that were applied to it, oldest first. */
  applied: string[];
  /** Whether a later release has applied migrations that this one does not know, and can run with. */
  newer: boolean;
}

/**
 * Refuses a database that a release can neither use nor migrate. A newer schema is usable when each migration that the
 * release does not know leaves what the release uses (`changeOf`).
 *
 * @throws StartError for the schema of another version; the database's error when there is no table of migrations.
 */
export async function refuseOtherSchema(sql: Sql, release: Release = thisRelease): Promise<UsableSchema> {
  const applied = await readApplied(sql);
  const age = schemaAge(applied, release);
  if (age === 'usable') return { applied, newer: false };
  if (age === 'newer' && unknownMigrations(applied, release).every((name) => canRunWith(name, release)))
    return { applied, newer: true };
  const [row] = await sql.query<{ name: string }>({ name: '', text: 'select current_database() as name' }, []);
  throw new StartError(`The database ${row?.name} ${refusal(age, applied, release)}`);
}

function canRunWith(name: string, { version }: Release): boolean {
  const change = changeOf(name);
  return change?.kind === 'expand' || (change?.kind === 'contract' && gte(version, change.oldestRelease));
}

const named = ([first, ...more]: readonly string[]) => (more.length === 0 ? first : `${first} and ${more.length} more`);

function refusal(age: SchemaAge, applied: readonly string[], release: Release): string {
  if (age === 'older')
    return (
      `has an older schema than this version can upgrade: it lacks ${named(missingSquashed(applied))}. Nothing was ` +
      `changed. Upgrade it with commit ${oldestUpgrade} first: run \`npm run migrate\` of that commit, then of this version.`
    );
  const unknown = unknownMigrations(applied, release);
  if (age === 'unreleased')
    return (
      `has the schema of a version from before the first release (migration ${named(unknown)}). This version can ` +
      'neither use nor convert it. Nothing was changed. Start this version with an empty database: set DATABASE_URL, or ' +
      'DATA_DIR with npm start. Keep the old version running on the old database until it has delivered its events.'
    );
  const changes = unknown.map(changeOf);
  // A name of another form is that of another program.
  if (changes.includes(null))
    return (
      `is newer than this program, which does not know its migration ${named(unknown)}. Nothing was changed. ` +
      'Start the version that migrated it, or a later one.'
    );
  const [needed = ''] = rsort(changes.flatMap((change) => (change?.kind === 'contract' ? [change.oldestRelease] : [])));
  return (
    `is newer than this program: it has the migration ${named(unknown)}, which releases before ${needed} cannot run with; this ` +
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
  const known = release.migrations;
  const missing = known.filter(({ name }) => !applied.includes(name));
  if (missing.length > 0)
    throw new StartError(
      `The database is older than this program: ${missing.length} of ${known.length} migrations are missing. ` +
        'Run `npm run migrate`, then start again.',
    );
  const changes = await functionChanges(sql, { newer });
  if (changes.length === 0) return;
  const names = changes.map(({ name }) => name).join(', ');
  throw new StartError(
    `The database has other functions than this program: ${names}. Run \`npm run migrate\`, then start again.`,
  );
}
