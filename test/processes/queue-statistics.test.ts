import { expect, test } from 'vitest';
import { watchQueueStatistics } from '../../src/processes/queue-statistics.ts';
import { log } from '../support/runtime.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
const fill = `insert into event_queue (event_id, account_id, generation, lane)
  select gen_random_uuid(), gen_random_uuid(), 0, 2 from generate_series(1, 3000)`;
const planned = async () =>
  (await rows(database, `select reltuples from pg_class where oid = 'event_queue'::regclass`))[0]?.reltuples;

// An idle connection tells PostgreSQL of its rows after ten seconds, a busy one every second.
test('a plan that was made for the empty queue is made again when the queue has grown', async () => {
  await rows(database, fill);
  await rows(database, 'delete from event_queue');
  await rows(database, 'vacuum analyze event_queue');
  expect(await planned()).toBe(0);

  const connection = await database.pool.connect();
  const watch = watchQueueStatistics({ sql: database, log });
  try {
    await connection.query(`prepare release(uuid[]) as
      with given as materialized (select unnest($1) as event_id)
      update event_queue q set claim_token = null from given g where q.event_id = g.event_id`);
    const plan = async () =>
      (await connection.query(`explain execute release('{}')`)).rows.map((row) => row['QUERY PLAN']).join('\n');
    const readsOneRow = /Index Cond: \(event_id = g\.event_id\)/;
    expect(await plan()).not.toMatch(readsOneRow);
    await rows(database, fill);
    expect(await plan()).not.toMatch(readsOneRow);

    watch.start();
    await until('PostgreSQL knows of the rows', async () => (await planned()) >= 3_000);
    expect(await plan()).toMatch(readsOneRow);
  } finally {
    await watch.stop();
    connection.release(true);
  }
});
