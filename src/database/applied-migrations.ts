import type { Sql } from './sql.ts';

/** A migration that was applied to a database. */
export interface AppliedMigration {
  name: string;
  /** The release that applied it, and the oldest release that can run with it; null for the first migration. */
  release: { appliedBy: string; oldest: string } | null;
}

interface Row {
  name: string;
  applied_by: string;
  oldest_release: string;
}

const readFirst = { name: 'read_first_migrations', text: 'select name from mikro_orm_migrations order by id' };

/** Without a name, because a prepared statement would not see a table that is created later. */
const findTable = { name: '', text: `select to_regclass('applied_migrations') is not null as present` };

const readLater = {
  name: 'read_applied_migrations',
  text: 'select name, applied_by, oldest_release from applied_migrations order by applied_at, name',
};

/**
 * The migrations of a database, oldest first. A database of release 0.2.0 has no table for the later ones.
 *
 * @throws the database's error when it has no table of the first migration.
 */
export async function readApplied(sql: Sql): Promise<AppliedMigration[]> {
  const first = await sql.query<{ name: string }>(readFirst, []);
  return [...first.map(({ name }) => ({ name, release: null })), ...(await readAppliedLater(sql))];
}

/** The migrations after the first one. */
async function readAppliedLater(sql: Sql): Promise<AppliedMigration[]> {
  const [table] = await sql.query<{ present: boolean }>(findTable, []);
  const rows = table?.present ? await sql.query<Row>(readLater, []) : [];
  return rows.map(({ name, applied_by: appliedBy, oldest_release: oldest }) => ({
    name,
    release: { appliedBy, oldest },
  }));
}
