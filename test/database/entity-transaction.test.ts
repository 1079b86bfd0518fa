import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { inEntityTransaction } from '../../src/database/entity-transaction.ts';
import { sqlOfTransaction } from '../../src/database/transaction.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { breakConnection } from '../support/break-connection.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const maxConnections = 2;
let database: Database;
beforeAll(async () => {
  database = await openDatabase({ url: await freshDatabase(), log: createLog('silent'), maxConnections });
});
afterAll(() => database.close());

const pidOf = { name: 'pid', text: 'select pg_backend_pid() as pid' };
const one = { name: 'one', text: 'select 1 as one' };

async function breakOff(inside: EntityManager): Promise<void> {
  const [row] = await sqlOfTransaction(inside).query<{ pid: number }>(pidOf, []);
  await breakConnection(database.readers, row?.pid);
}

test('connections that break in transactions of entities are not missed by others', async () => {
  for (let n = 0; n <= maxConnections; n++) {
    const broken = inEntityTransaction(database.orm.em.fork(), async (inside) => {
      await breakOff(inside);
      await sqlOfTransaction(inside).query(one, []);
    });
    await expect(broken).rejects.toThrow(/terminat|connection/i);
  }
  expect(await database.query(one, [])).toEqual([{ one: 1 }]);
});

test('nor is one that breaks before the commit', async () => {
  const broken = inEntityTransaction(database.orm.em.fork(), breakOff);
  await expect(broken).rejects.toThrow(/terminat|connection/i);
  await until('nobody has a connection', async () => database.pool.totalCount === database.pool.idleCount);
});
