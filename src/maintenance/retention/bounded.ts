import type { Database } from '../../database/database.ts';
import type { Sql } from '../../database/sql.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';

/** A transaction of maintenance: it waits for no lock longer than a second, since others wait behind it. */
export function boundedTransaction<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return inTransaction(database.pool, async (client) => {
    await client.query("set local lock_timeout = '1s'");
    return work(sqlOfClient(client));
  });
}
