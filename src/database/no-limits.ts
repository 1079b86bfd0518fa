import type pg from 'pg';

/**
 * Startup options of a connection without time limits, even if the role, the database or the server has some. Rewriting
 * or loading a large table may take hours.
 */
export const noLimits = '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0';

/** Removes the time limit of transactions. Not a startup option, because PostgreSQL before 17 would refuse it. */
export async function liftTransactionLimit(client: pg.ClientBase): Promise<void> {
  await client.query(`select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`);
}
