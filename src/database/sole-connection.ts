import type { PoolClient } from 'pg';
import type { Database } from './database.ts';

/** The only connection of a pool, while MikroORM uses it. */
export interface SoleConnection {
  /** The connection of the current MikroORM transaction. */
  client(): PoolClient;
  /**
   * Releases the connection if it is still checked out. MikroORM does not release a lost connection whose rollback
   * failed, and the pool could then never be closed. Call it when the connection is no longer used.
   */
  giveBack(): void;
}

/** @param database opened with `maxConnections: 1`, and not used yet. */
export function soleConnection({ pool }: Database): SoleConnection {
  let client: PoolClient | null = null;
  pool.on('acquire', (acquired) => {
    client = acquired;
  });
  return {
    client() {
      if (client === null) throw new Error('MikroORM has not opened the connection yet');
      return client;
    },
    giveBack() {
      if (pool.totalCount > pool.idleCount) client?.release(true);
    },
  };
}
