import type pg from 'pg';
import type { Sql } from '../../database/sql.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';

/**
 * Reads each slice of a walk in a transaction of its own, because locks on the partitions of its days are kept until its
 * end. A statement that takes longer than `statementMs` is canceled.
 */
export const slicesOf = (readers: pg.Pool, statementMs: number): Sql => ({
  query: (statement, values) =>
    inTransaction(readers, async (client) => {
      await client.query(`set local statement_timeout = ${statementMs}`);
      return sqlOfClient(client).query(statement, values);
    }),
});
