import { lt, lte, rsort, valid } from 'semver';
import { StartError } from '../shared/start-error.ts';
import { releaseOf } from './application-name.ts';
import { changeOf } from './migrations.ts';
import { released } from './released.ts';
import type { Release } from './schema-check.ts';
import type { Sql } from './sql.ts';

const readNames = {
  name: '',
  text: 'select distinct application_name as name from pg_stat_activity where datname = current_database()',
};

/**
 * Refuses migrations that remove something, while the database or a process is of a release that needs it: after an
 * upgrade that skips a release, or before all processes of the older release have stopped.
 *
 * @param applied the names of the migrations that the database has
 * @param pending those that are about to be applied
 * @throws StartError
 */
export async function refuseSkippedRelease(
  sql: Sql,
  { applied, pending, release }: { applied: readonly string[]; pending: readonly { name: string }[]; release: Release },
  history: typeof released = released,
): Promise<void> {
  const changes = pending.map(({ name }) => changeOf(name));
  const [oldest] = rsort(changes.flatMap((change) => (change?.kind === 'contract' ? [change.oldestRelease] : [])));
  if (oldest === undefined) return;
  const missing = migrationsUntil(oldest, history).filter((name) => !applied.includes(name));
  if (missing.length > 0)
    throw new StartError(
      `Release ${release.version} cannot upgrade this database at once, because it removes what releases before ${oldest} ` +
        `use, and the database has not the schema of ${oldest} yet (${missing[0]}). Nothing was changed. Upgrade to ` +
        `release ${oldest} first: migrate with it and let it run, then upgrade to ${release.version}.`,
    );
  const names = await sql.query<{ name: string | null }>(readNames, []);
  const running = names.flatMap(({ name }) => releaseOf(name ?? '') ?? []).filter((one) => valid(one) !== null);
  const [older] = running.filter((one) => lt(one, oldest));
  if (older !== undefined)
    throw new StartError(
      `A process of release ${older} is connected to the database. Release ${release.version} removes what releases ` +
        `before ${oldest} use. Nothing was changed. Replace all processes by release ${oldest} or a later one first ` +
        '(select client_addr, application_name from pg_stat_activity), then run `npm run migrate` again.',
    );
}

/** The migrations of all releases up to this one. */
function migrationsUntil(last: string, history: typeof released): string[] {
  return Object.entries(history)
    .filter(([version]) => lte(version, last))
    .flatMap(([, files]) => Object.keys(files))
    .flatMap((file) => /^(Migration\w+)\.ts$/.exec(file)?.[1] ?? []);
}
