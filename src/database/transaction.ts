import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';
import pg, { type Pool, type PoolClient } from 'pg';
import type { Sql } from './sql.ts';

/** Runs `work` in one transaction on one connection; rolls back when it throws, and drops a connection that cannot. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await whileItMayBreak(client, async () => {
      try {
        await client.query('begin');
        const result = await work(client);
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      }
    });
  } finally {
    client.release(broken);
  }
}

/**
 * For a connection of the pool that pauses between two statements: when it breaks meanwhile, the next statement fails, and
 * that is enough. Without this the process would end.
 */
export async function whileItMayBreak<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    return await work();
  } finally {
    client.off('error', ignore);
  }
}

/** Statements on one connection, as inside `inTransaction`. */
export function sqlOfClient(client: PoolClient): Sql {
  return {
    async query<Row extends pg.QueryResultRow>({ name, text }: { name: string; text: string }, values: unknown[]) {
      return (await client.query<Row>({ name, text, values, types: pg.types })).rows;
    },
  };
}

/** Statements inside MikroORM's transaction, so that they commit with its changes. For rows that nobody reads back. */
export function sqlOfTransaction(em: EntityManager): Sql {
  const transaction = em.getTransactionContext<Transaction<unknown>>();
  if (!transaction) throw new Error('there is no transaction');
  return {
    async query<Row>({ text }: { text: string }, values: unknown[]) {
      return (await transaction.executeQuery<Row>(CompiledQuery.raw(text, values))).rows;
    },
  };
}
