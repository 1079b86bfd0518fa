import type { Sql } from './sql.ts';

const ping = { name: 'ping', text: 'select 1 as one' };

/**
 * Asks the database for an answer.
 *
 * @throws the database's error.
 */
export async function pingDatabase(sql: Sql): Promise<void> {
  await sql.query(ping, []);
}
