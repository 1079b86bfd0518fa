import { readOnlyState } from './errors.ts';
import type { Sql } from './sql.ts';

const ping = { name: 'ping', text: `select current_setting('transaction_read_only') = 'on' as "readOnly"` };

/** With the SQLSTATE that each write gets. */
class ReadOnlyError extends Error {
  readonly code = readOnlyState;
}

/**
 * Asks the database for an answer, and whether it takes writes. A standby does not, and neither does a server with
 * `default_transaction_read_only`, which providers of managed databases set when the disk is full.
 *
 * @throws the database's error, or ReadOnlyError, which counts as one.
 */
export async function pingDatabase(sql: Sql): Promise<void> {
  const [row] = await sql.query<{ readOnly: boolean }>(ping, []);
  if (row?.readOnly) throw new ReadOnlyError('PostgreSQL takes no writes: transaction_read_only is on');
}
