import type { Pool } from 'pg';
import { until } from './until.ts';

/** Closes another connection from the server's side, and returns after its client has noticed. */
export async function breakConnection(by: Pool, pid: number | undefined): Promise<void> {
  await by.query('select pg_terminate_backend($1)', [pid]);
  await until('the connection is closed', async () => {
    const found = await by.query('select 1 from pg_stat_activity where pid = $1', [pid]);
    return found.rowCount === 0;
  });
  await by.query('select pg_sleep(0.05)');
}
