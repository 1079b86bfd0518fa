import type pg from 'pg';
import { BackupError } from './backup-error.ts';

/** The most tables that the error message names. */
const named = 5;

// Tables of extensions do not count.
const findTables = `
  select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'm', 'f') and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1`;

/**
 * Checks that the database has no tables, so that a restore cannot overwrite or mix data. An empty table of migrations
 * is allowed, because an interrupted restore leaves it.
 *
 * @throws BackupError that names the tables.
 */
export async function refuseUnlessEmpty(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(findTables);
  const names = rows.map(({ name }) => name);
  if (names.length === 0 || (names.join() === 'mikro_orm_migrations' && (await isEmpty(client)))) return;
  throw new BackupError(
    `The database is not empty: it has the tables ${names.slice(0, named).join(', ')}${names.length > named ? `, and ${names.length - named} more` : ''}. ` +
      'Nothing was changed. Restore into a new, empty database.',
  );
}

async function isEmpty(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select 1 from mikro_orm_migrations limit 1');
  return rows.length === 0;
}

// Waits for the transaction of a restore, whose connection may have broken while the server commits it.
const dropEmpty = `
  do $$ begin
    lock table mikro_orm_migrations in access exclusive mode;
    if not exists (select from mikro_orm_migrations) then drop table mikro_orm_migrations; end if;
  end $$`;

/**
 * Removes the empty table of migrations, which is made outside of a restore's transaction, after that has failed.
 *
 * @returns whether the transaction was committed after all and only the answer was lost; null if the database does not say.
 */
export async function isCommittedAfterAll(pool: pg.Pool): Promise<boolean | null> {
  try {
    await pool.query(dropEmpty);
    const { rows } = await pool.query<{ kept: boolean }>(
      `select to_regclass('mikro_orm_migrations') is not null as kept`,
    );
    return rows[0]?.kept === true;
  } catch {
    return null;
  }
}
