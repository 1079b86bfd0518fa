import type { PoolClient } from 'pg';
import type { Database } from './database.ts';

/** The connection of a pool that has only one, while MikroORM works on it. */
export interface SoleConnection {
  /** Inside a transaction of MikroORM, the one that this is on. */
  client(): PoolClient;
  /**
   * Lets go of it when it is still taken: of a connection on which even the rollback failed, since it is lost, MikroORM does
   * not, and the pool could never be closed. For when nobody uses it any more.
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
      if (client === null) throw new Error('there is no connection');
      return client;
    },
    giveBack() {
      if (pool.totalCount > pool.idleCount) client?.release(true);
    },
  };
}
