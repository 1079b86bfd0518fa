import { onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { Sql } from '../../src/database/sql.ts';

/**
 * The most rows that a step of the statements' plans has read. The plans are those of prepared statements, which PostgreSQL
 * makes without the values.
 *
 * @param call is given no rows. What it changes is rolled back.
 */
export async function mostRead(database: Database, call: (sql: Sql) => Promise<unknown>): Promise<number> {
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  let most = 0;
  await client.query('begin');
  await call({
    async query({ name, text }, values) {
      await client.query(`prepare explained_${name} as ${text}`);
      const given = values.map((value) => client.escapeLiteral(String(value))).join(', ');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off, summary off) execute explained_${name} (${given})`,
      );
      await client.query(`deallocate explained_${name}`);
      for (const { 'QUERY PLAN': line } of rows) {
        const [, read, loops] = /rows=([\d.]+) loops=(\d+)/.exec(line) ?? [];
        most = Math.max(most, Number(read ?? 0) * Number(loops ?? 0));
      }
      return [];
    },
  });
  await client.query('rollback');
  return most;
}
