/**
 * In place of `pg_locks` in a statement: the locks of the present database alone. `pg_locks` has those of all databases of a
 * server, and the databases of tests are copies of one template, so that their tables have the same numbers.
 */
export const ownLocks =
  '(select * from pg_locks where database = (select oid from pg_database where datname = current_database()))';
