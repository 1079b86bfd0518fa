import { describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import { inEntityTransaction, inTransaction, sqlOfClient } from '../../src/database/transaction.ts';
import { breakConnection } from '../support/break-connection.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const maxConnections = 2;
const database = useDatabase(freshDatabase, { maxConnections });

const pidOf = { name: 'pid', text: 'select pg_backend_pid() as pid' };
const one = { name: 'one', text: 'select 1 as one' };

type Work = (sql: Sql) => Promise<unknown>;
const ways = {
  pool: (work: Work) => inTransaction(database.pool, (client) => work(sqlOfClient(client))),
  readers: (work: Work) => inTransaction(database.readers, (client) => work(sqlOfClient(client))),
  entities: (work: Work) => inEntityTransaction(database.orm.em.fork(), (_inside, sql) => work(sql)),
};

// An error event without a listener would end the process; here it fails the test run.
describe.each(['pool', 'readers', 'entities'] as const)('a transaction with %s', (name) => {
  const pool = () => (name === 'readers' ? database.readers : database.pool);
  const other = () => (name === 'readers' ? database.pool : database.readers);

  async function breakOff(sql: Sql): Promise<void> {
    const [row] = await sql.query<{ pid: number }>(pidOf, []);
    await breakConnection(other(), row?.pid);
  }

  test('fails when its connection breaks between two statements, and the pool replaces the connection', async () => {
    // One more than the pool has connections. If one was not returned, the last transaction would wait forever.
    for (let n = 0; n <= pool().options.max; n++) {
      const broken = ways[name](async (sql) => {
        await breakOff(sql);
        await sql.query(one, []);
      });
      await expect(broken).rejects.toThrow(/terminat|connection/i);
    }
    expect((await pool().query(one.text)).rows).toEqual([{ one: 1 }]);
  });

  test('fails when its connection breaks before the commit, and gives the connection back', async () => {
    await expect(ways[name](breakOff)).rejects.toThrow(/terminat|connection/i);
    await until('all connections are idle', async () => pool().totalCount === pool().idleCount);
  });
});
