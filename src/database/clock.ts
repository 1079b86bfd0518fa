import type { Sql } from './sql.ts';

/**
 * PostgreSQL's clock as of a moment at which it was read: the time in milliseconds since 1970, at the time of each call. All
 * processes then agree on the time, even if the clock of a process's machine is wrong or jumps.
 *
 * @param readAt `clock_timestamp()` of a statement whose rows have just arrived.
 */
export function databaseClock(readAt: Date): () => number {
  const aheadMs = readAt.getTime() - performance.now();
  return () => Math.round(aheadMs + performance.now());
}

const readClock = { name: 'read_clock', text: 'select clock_timestamp() as read_at' };

/** The time of PostgreSQL's clock, in milliseconds since 1970. */
export async function databaseNowMs(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ read_at: Date }>(readClock, []);
  if (!row) throw new Error('PostgreSQL did not say its time');
  return row.read_at.getTime();
}
