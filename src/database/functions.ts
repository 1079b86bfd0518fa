import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { Sql } from './sql.ts';

/** A function of the schema: a file of `migrations/functions/`. */
export interface SqlFunction {
  /** The name of the function, and of its file without `.sql`. */
  name: string;
  /** The whole file: comments, whose first line says what the function is for, and one `create or replace`. */
  text: string;
}

/** A function in the database. */
interface StoredFunction {
  name: string;
  /** The name with the types of the parameters, and with the schema if that is not in `search_path`. */
  signature: string;
  body: string;
  comment: string | null;
}

const folder = new URL('../../migrations/functions/', import.meta.url);

/** The functions that this version needs, sorted by name. */
export function functionFiles(): SqlFunction[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      name: file.slice(0, -'.sql'.length),
      text: readFileSync(new URL(file, folder), { encoding: 'utf8' }),
    }));
}

/** The text between `as $$` and the last `$$`, which PostgreSQL stores unchanged. */
export const bodyOf = ({ text }: SqlFunction) =>
  text.slice(text.indexOf(' as $$') + ' as $$'.length, text.lastIndexOf('$$'));

/** The function's comment in the database: its purpose, its file, and the file's hash, by which changes are detected. */
function commentOf({ name, text }: SqlFunction): string {
  const [purpose = ''] = text.split('\n');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${purpose.replace(/^-- /, '')} (migrations/functions/${name}.sql, SHA-256 ${sha256})`;
}

// A function without a file is left alone: it may belong to an operator, to an extension, or to processes of another
// release. A contracting migration drops it when no supported release uses it.
const readStored = {
  name: '',
  text: `
    select p.proname as name, p.oid::regprocedure::text as signature, p.prosrc as body, d.comment
    from pg_proc p cross join lateral (select obj_description(p.oid, 'pg_proc') as comment) d
    where p.pronamespace = current_schema()::regnamespace and p.proname = any($1)`,
};

/** What functions are compared with. */
export interface CompareOptions {
  files?: readonly SqlFunction[];
  /**
   * Whether a later release has migrated the database, and this one can run with it. Then the functions may be those of
   * the later release: only one that is missing is a difference, and none is replaced or dropped.
   */
  newer?: boolean;
}

/**
 * Compares the functions of a database with those of the files.
 *
 * @returns the files whose function is missing, differs or exists with several signatures.
 */
export async function functionChanges(
  sql: Sql,
  { files = functionFiles(), newer = false }: CompareOptions = {},
): Promise<SqlFunction[]> {
  const found = await sql.query<StoredFunction>(readStored, [files.map(({ name }) => name)]);
  if (newer) return files.filter((file) => found.every(({ name }) => name !== file.name));
  return files.filter((file) => {
    const [same, ...others] = found.filter(({ name }) => name === file.name);
    return others.length > 0 || same?.comment !== commentOf(file) || same.body !== bodyOf(file);
  });
}

/**
 * Updates the functions of the database to those of the files: creates missing ones and replaces changed ones. A
 * function whose parameters or result have changed cannot be replaced, so it is dropped and created.
 *
 * @param changes from `functionChanges`.
 * @returns the names of the functions.
 */
export async function applyFunctions(sql: Sql, changes: readonly SqlFunction[]): Promise<string[]> {
  // Functions may use tables that the migrations after this call create.
  await run(sql, 'set local check_function_bodies = off');
  for (const file of changes) await replaceFunction(sql, file);
  return changes.map(({ name }) => name);
}

/** Those of the files whose function the database does not have in any form. */
export async function missingFunctions(sql: Sql): Promise<SqlFunction[]> {
  return functionChanges(sql, { newer: true });
}

const run = (sql: Sql, text: string) => sql.query({ name: '', text }, []);

async function replaceFunction(sql: Sql, file: SqlFunction): Promise<void> {
  const signatures = async () =>
    (await sql.query<StoredFunction>(readStored, [[file.name]])).map(({ signature }) => signature);
  await run(sql, 'savepoint before_function');
  const replaced = await run(sql, file.text).then(
    () => true,
    (error: unknown) => {
      if (!cannotReplace(error)) throw error;
      return false;
    },
  );
  if (!replaced) await run(sql, 'rollback to savepoint before_function');
  await run(sql, 'release savepoint before_function');
  // If the types of the parameters have changed, the statement created a second function in addition to the old one.
  if (!replaced || (await signatures()).length > 1) {
    for (const signature of await signatures()) await run(sql, `drop function ${signature}`);
    await run(sql, file.text);
  }
  const [made] = await signatures();
  if (made === undefined) throw new Error(`migrations/functions/${file.name}.sql creates no function of this name`);
  await run(sql, `comment on function ${made} is ${pg.escapeLiteral(commentOf(file))}`);
}

/**
 * 42P13: the result or the names of parameters differ: https://www.postgresql.org/docs/current/sql-createfunction.html
 */
const cannotReplace = (error: unknown) => error instanceof pg.DatabaseError && error.code === '42P13';
