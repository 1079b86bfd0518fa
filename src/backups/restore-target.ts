import type pg from 'pg';
import { BackupError } from './backup-error.ts';

/** How many of the tables that were found a sentence names. */
const named = 5;

// What belongs to an extension was not put there by people.
const findTables = `
  select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'm', 'f') and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1`;

/**
 * Makes sure that nothing can be overwritten or mixed up: the database has no table. An empty table of migrations counts as
 * none: a restore that was interrupted leaves it.
 *
 * @throws BackupError that names what is there.
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
