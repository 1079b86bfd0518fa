import type { PoolClient } from 'pg';
import type { Database } from './database.ts';
import type { Sql } from './sql.ts';
import { sqlOfClient, whileItMayBreak } from './transaction.ts';

const readPid = { name: 'read_pid', text: 'select pg_backend_pid() as pid' };
const cancelStatement = { name: 'cancel_statement', text: 'select pg_cancel_backend($1)' };

/** The connections for operators' lists, and others for cancellations. */
export type CancelableReaders = Pick<Database, 'query'> & { readers: { connect(): Promise<PoolClient> } };

/**
 * Runs `work` on one of the connections for operators' lists. When the signal is aborted, the server cancels the statement in
 * progress. The connection is then closed, so that a late cancellation cannot end a statement of another caller.
 *
 * @throws the signal's reason if it is aborted before `work` begins, later the error of the canceled statement.
 */
export async function untilAborted<T>(
  database: CancelableReaders,
  signal: AbortSignal,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const client = await database.readers.connect();
  try {
    return await whileItMayBreak(client, async () => {
      const sql = sqlOfClient(client);
      const [backend] = await sql.query<{ pid: number }>(readPid, []);
      signal.throwIfAborted();
      // If this fails, the statement ends at its limit of time.
      const cancel = () => void database.query(cancelStatement, [backend?.pid]).catch(() => undefined);
      signal.addEventListener('abort', cancel);
      try {
        return await work(sql);
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    });
  } finally {
    client.release(signal.aborted);
  }
}
