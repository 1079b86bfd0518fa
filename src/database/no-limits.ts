import type pg from 'pg';

/**
 * Startup options of a connection whose statements take as long as they take, whatever limits the role, the database or the
 * server have: to rewrite or load a large table is no statement that hangs.
 */
export const noLimits = '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0';

/** The limit of whole transactions, too. Only PostgreSQL 17 and newer know it; as a startup option others would refuse it. */
export async function liftTransactionLimit(client: pg.ClientBase): Promise<void> {
  await client.query(`select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`);
}
