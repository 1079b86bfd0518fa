import type pg from 'pg';
import type { Sql } from '../../database/sql.ts';
import { inTransaction, sqlOfClient } from '../../database/transaction.ts';
import { dayMs } from '../../database/uuid-time.ts';

/** The first span of time that one statement reads. Most days of most gateways are read in milliseconds. */
export const firstSliceMs = dayMs;
/** A week is a few dozen partitions with their indexes, whose locks one statement can take. */
const longestSliceMs = 7 * dayMs;
/** A second of the busiest gateway is a few thousand events. */
const shortestSliceMs = 1_000;
/** A slice that took longer is made shorter, and one that took less than a tenth of it longer. */
const aimMs = 500;

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

/** The length of the next slice after one that was read in `tookMs`. */
export function nextSliceMs(sliceMs: number, tookMs: number): number {
  if (tookMs > aimMs) return Math.max(shortestSliceMs, Math.ceil(sliceMs / 2));
  return tookMs < aimMs / 10 ? Math.min(longestSliceMs, sliceMs * 2) : sliceMs;
}

/** The length of the next slice after one whose statement was canceled. */
export const shorterSliceMs = (sliceMs: number): number => Math.max(shortestSliceMs, Math.ceil(sliceMs / 8));
