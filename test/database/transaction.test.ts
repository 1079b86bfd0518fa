import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { breakConnection } from '../support/break-connection.ts';
import { freshDatabase } from '../support/database.ts';

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
    await breakConnection(other, rows[0]?.pid);
    await client.query('select 1');
  });
  await expect(transaction).rejects.toThrow(/terminat|connection/i);
  expect((await database[name].query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
