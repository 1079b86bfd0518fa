import type { lockKeys } from './lock-keys.ts';
import type { Sql } from './sql.ts';

const tryAdvisoryLock = { name: 'try_lock', text: 'select pg_try_advisory_xact_lock($1) as locked' };

/** Takes an advisory lock until the end of the transaction, unless another session holds it: then it is false at once. */
export async function tryLock(sql: Sql, key: (typeof lockKeys)[keyof typeof lockKeys]): Promise<boolean> {
  const [row] = await sql.query<{ locked: boolean }>(tryAdvisoryLock, [key]);
  return row?.locked === true;
}
