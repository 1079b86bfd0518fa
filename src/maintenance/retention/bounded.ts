import type { Database } from '../../database/database.ts';
import type { Sql } from '../../database/sql.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';

/** Runs a maintenance transaction. It waits at most a second for a lock, because other transactions queue behind it. */
export function boundedTransaction<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return inTransaction(database.pool, async (client) => {
    await client.query("set local lock_timeout = '1s'");
    return work(sqlOfClient(client));
  });
}
