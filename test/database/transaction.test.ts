import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import { createLog } from '../../src/log.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ url: await freshDatabase(), log: createLog('silent') });
});
afterAll(() => database.close());

// An error of a connection that nobody listens to ends the process: here it fails the run.
test.each(['pool', 'readers'] as const)('a connection of %s that breaks between two statements', async (name) => {
  const other = name === 'pool' ? database.readers : database.pool;
  const transaction = inTransaction(database[name], async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid;
    await other.query('select pg_terminate_backend($1)', [pid]);
    await until('it is gone', async () => {
      const found = await other.query('select 1 from pg_stat_activity where pid = $1', [pid]);
      return found.rowCount === 0;
    });
    // The news of it has come by then.
    await other.query('select pg_sleep(0.05)');
    await client.query('select 1');
  });
  await expect(transaction).rejects.toThrow(/terminat|connection/i);
  expect((await database[name].query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
