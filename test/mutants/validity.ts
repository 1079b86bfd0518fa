import pg from 'pg';
import type { IsValid } from './draw.ts';
import { parsed } from './syntax-tree.ts';

/**
 * Checks that a changed TypeScript file can be parsed, and that PostgreSQL can parse a changed statement or create a
 * changed function.
 *
 * @param client is connected to a database with the schema; nothing in it is changed.
 */
export const validWith =
  (client: pg.Client): IsValid =>
  async (file, { statement }, changed) => {
    if (file.endsWith('.sql')) return runs(client, changed);
    if (parsed(file, changed) === null) return false;
    if (statement === undefined) return true;
    // A part of a statement that is put together elsewhere cannot be parsed in either form.
    return (await runs(client, wrapped(statement.after))) || !(await runs(client, wrapped(statement.before)));
  };

/** PostgreSQL parses the statements of a function when it creates it, without looking for their tables. */
const wrapped = (statement: string) =>
  `create function pg_temp.parsed() returns void language plpgsql as $parsed$ begin ${statement}; end $parsed$`;

async function runs(client: pg.Client, text: string): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query('set local check_function_bodies = on');
    await client.query(text);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return false;
    throw error;
  } finally {
    await client.query('rollback');
  }
}
