import type { EntityManager } from '@mikro-orm/postgresql';
import pg, { type Pool, type PoolClient } from 'pg';
import { inStatementSpan } from '../telemetry/tracing/spans.ts';
import { afterOthers } from './retried.ts';
import type { Sql, Statement } from './sql.ts';

/**
 * Runs `work` in one transaction on one connection; rolls back when it throws. If the rollback fails, the connection is
 * closed and the pool replaces it.
 */
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
 * Runs `work` in one transaction with MikroORM's entities, writes the entities that `work` changed, and commits. `sql`
 * runs plain statements in the same transaction.
 *
 * MikroORM's `transactional` never releases a connection that is lost: the pool then has one connection less and cannot
 * be closed. Here, MikroORM only sends statements to a connection that `inTransaction` owns.
 *
 * `work` is called again, in a new transaction, while other transactions hold its rows. It must change nothing outside of
 * the transaction.
 *
 * @param em a fork that no other call uses.
 */
export async function inEntityTransaction<T>(
  em: EntityManager,
  work: (inside: EntityManager, sql: Sql) => Promise<T>,
): Promise<T> {
  const pool = await em.getConnection().getNativeClient();
  return afterOthers(() =>
    inTransaction(pool, async (client) => {
      const inside = em.fork({ clear: false });
      inside.setTransactionContext(statementsOn(client));
      const result = await work(inside, sqlOfClient(client));
      await inside.flush();
      return result;
    }),
  );
}

/** The part of a transaction context that MikroORM needs for statements. Savepoints and streams would need more. */
function statementsOn(client: PoolClient) {
  return {
    async executeQuery({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const { rows, rowCount } = await client.query(sql, [...parameters]);
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    },
  };
}

/**
 * Runs `work` with an error listener on a connection that is checked out of the pool. If the connection is lost between
 * two statements, the next statement fails. Without a listener, the error event would end the process.
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

/** Statements on one connection, as inside `inTransaction`, or on any of a pool. */
export function sqlOfClient(client: Pick<Pool, 'query'>): Sql {
  return {
    async query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) {
      const { name, text } = statement;
      // `types`: the driver's parsers (a timestamp becomes a Date), because MikroORM's pool returns strings.
      const run = () => client.query<Row>({ name, text, values, types: pg.types });
      return (await inStatementSpan(statement, run)).rows;
    },
  };
}
