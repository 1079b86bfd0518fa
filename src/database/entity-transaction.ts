import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import type { PoolClient } from 'pg';
import { inTransaction } from './transaction.ts';

/**
 * Runs `work` in one transaction with entities, and writes what it has changed; rolls back when it throws.
 *
 * MikroORM's own `transactional` does not give a connection back that breaks meanwhile: each would be one less for
 * everybody else, and the pool could never be closed.
 */
export async function inEntityTransaction<T>(
  em: EntityManager,
  work: (inside: EntityManager) => Promise<T>,
): Promise<T> {
  const pool = await em.getConnection().getNativeClient();
  return inTransaction(pool, async (client) => {
    const inside = em.fork({ clear: false });
    inside.setTransactionContext(kyselyOn(client));
    const result = await work(inside);
    await inside.flush();
    return result;
  });
}

/** What MikroORM sends its statements to: this connection alone, which is somebody else's to give back. */
function kyselyOn(client: PoolClient): Kysely<unknown> {
  const borrowed = { query: client.query.bind(client), release: () => undefined };
  const pool = { connect: async () => borrowed, end: async () => undefined, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}
